//! Tests of the public encoder API: correct vectors, bit-identical vectors in every batch, and an error for every
//! damaged file.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod support;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use hearsay_embed::{EmbedError, Encoder, EncoderOptions, Pooling, WeightPrecision, dot, find_model};
use safetensors::Dtype;
use serde::Deserialize;
use serde_json::{Value, json};

use support::{TinyModel, config, tensors, tokenizer};

fn options(threads: usize) -> EncoderOptions {
    EncoderOptions::with_threads(threads)
}

fn model_dir() -> PathBuf {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/all-MiniLM-L6-v2");
    find_model(Some(&assets)).unwrap()
}

/// Returns the default model with two threads. It is loaded once for all tests.
fn encoder() -> &'static Encoder {
    static ENCODER: OnceLock<Encoder> = OnceLock::new();
    ENCODER.get_or_init(|| Encoder::load(model_dir(), options(2)).unwrap())
}

fn encode_one(encoder: &Encoder, text: &str) -> Vec<f32> {
    let mut vectors = encoder.encode(&[text]).unwrap();
    assert_eq!(vectors.len(), 1);
    vectors.remove(0)
}

fn bits(vector: &[f32]) -> Vec<u32> {
    vector.iter().map(|value| value.to_bits()).collect()
}

// Golden vectors

#[derive(Deserialize)]
struct Golden {
    text: String,
    tokens: usize,
    embedding: Vec<f32>,
}

fn check_golden(path: &Path) {
    let golden: Vec<Golden> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert!(!golden.is_empty());
    let texts: Vec<&str> = golden.iter().map(|g| g.text.as_str()).collect();
    let vectors = encoder().encode(&texts).unwrap();
    for (golden, vector) in golden.iter().zip(&vectors) {
        let expected = &golden.embedding;
        let norms = dot(vector, vector).sqrt() * dot(expected, expected).sqrt();
        let cosine = dot(vector, expected) / norms;
        assert!(cosine >= 0.9999, "{cosine} for {:?}", golden.text);
        assert_eq!(encoder().count_tokens(&golden.text).unwrap(), golden.tokens);
    }
}

#[test]
fn vectors_match_a_reference_in_float64_with_the_original_weights() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/all-MiniLM-L6-v2.json");
    check_golden(&golden);
}

#[test]
fn vectors_match_candles_own_model() {
    use candle_core::{DType, Device, Tensor};
    use candle_transformers::models::bert::{BertModel, Config};

    let (dir, device) = (model_dir(), Device::Cpu);
    let config: Config = serde_json::from_slice(&fs::read(dir.join("config.json")).unwrap()).unwrap();
    let weights = fs::read(dir.join("model.safetensors")).unwrap();
    let weights = candle_nn::VarBuilder::from_buffered_safetensors(weights, DType::F32, &device).unwrap();
    let model = BertModel::load(weights, &config).unwrap();
    let mut tokenizer = tokenizers::Tokenizer::from_file(dir.join("tokenizer.json")).unwrap();
    tokenizer.with_padding(None);
    for text in ["Grimjaw owes the guild forty gold.", "Who saw the boat by the old mill on the night of the fire?"] {
        let ids = tokenizer.encode(text, true).unwrap().get_ids().to_vec();
        let ids = Tensor::new(ids.as_slice(), &device).unwrap().unsqueeze(0).unwrap();
        let hidden = model.forward(&ids, &ids.zeros_like().unwrap(), None).unwrap();
        let mean: Vec<f32> = hidden.mean(1).unwrap().squeeze(0).unwrap().to_vec1().unwrap();
        let encoded = encode_one(encoder(), text);
        let cosine = dot(&encoded, &mean) / dot(&mean, &mean).sqrt();
        assert!(cosine >= 0.999_99, "{cosine} for {text:?}");
    }
}

#[test]
fn vectors_match_the_shared_reference() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/golden/all-MiniLM-L6-v2.json");
    if golden.is_file() {
        check_golden(&golden);
    } else {
        println!("skipped: no {}", golden.display());
    }
}

#[test]
fn meaning_is_nearer_than_words() {
    let texts =
        ["Who stole the crown?", "The thief who took the king's diadem was Mira.", "Crown Street has a good bakery."];
    let vectors = encoder().encode(&texts).unwrap();
    assert!(dot(&vectors[0], &vectors[1]) > dot(&vectors[0], &vectors[2]));
}

// A vector depends on its text only

#[test]
fn a_vector_is_the_same_to_the_bit_in_any_batch_and_on_any_number_of_threads() {
    let long = "The caravan came from the south with salt and silk. ".repeat(40);
    let middle = "Nobody in the harbour has seen the ferryman since the night of the flood, and \
                  those who drink at the Broken Oar say that he owed silver to the wrong people. "
        .repeat(2);
    let texts = [
        "rats",
        &long,
        "",
        "What does Grimjaw know about the missing shipment near the old mill?",
        &middle,
        "龍は山の下で眠っている。🐉",
        "rats",
    ];
    let alone: Vec<Vec<u32>> = texts.iter().map(|text| bits(&encode_one(encoder(), text))).collect();
    assert_eq!(alone[0], alone[6]);

    let check = |encoder: &Encoder, order: &[usize]| {
        let batch: Vec<&str> = order.iter().map(|&i| texts[i]).collect();
        for (&index, vector) in order.iter().zip(encoder.encode(&batch).unwrap()) {
            assert!(
                bits(&vector) == alone[index],
                "text {index} differs in the batch {order:?} on {} threads",
                encoder.threads()
            );
        }
    };
    for threads in [1, 2, 3] {
        let encoder = Encoder::load(model_dir(), options(threads)).unwrap();
        assert_eq!(encoder.threads(), threads);
        for index in 0..texts.len() {
            check(&encoder, &[index]);
        }
        for order in [&[0, 1, 2, 3, 4, 5, 6][..], &[6, 5, 4, 3, 2, 1, 0], &[1, 1, 1, 1], &[0, 3, 0, 3, 4], &[]] {
            check(&encoder, order);
        }
    }
    // The first call computes the vector; the second call reads it from the cache.
    for _ in 0..2 {
        assert!(bits(&encoder().encode_one(texts[3]).unwrap()) == alone[3]);
    }
    // Some of these texts are cached, and some are equal.
    for _ in 0..2 {
        let vectors = encoder().encode_questions(&texts).unwrap();
        assert!(vectors.iter().map(|vector| bits(vector)).eq(alone.iter().cloned()), "questions");
    }
    // Several threads call the encoder at once and share its pool.
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                check(encoder(), &[3, 4, 0]);
                check(encoder(), &[4]);
            });
        }
    });
}

#[test]
fn vectors_of_8_bits_are_close_and_the_same_in_any_batch() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/all-MiniLM-L6-v2.json");
    let golden: Vec<Golden> = serde_json::from_slice(&fs::read(golden).unwrap()).unwrap();
    let texts: Vec<&str> = golden.iter().map(|golden| golden.text.as_str()).collect();
    let load =
        |threads| Encoder::load(model_dir(), EncoderOptions { threads, precision: WeightPrecision::Int8 }).unwrap();
    let vectors = load(2).encode(&texts).unwrap();
    let one_thread = load(1);
    for (golden, vector) in golden.iter().zip(&vectors) {
        let cosine = dot(vector, &encode_one(encoder(), &golden.text));
        assert!(cosine >= 0.99, "{cosine} for {:?}", golden.text);
        assert!(bits(&encode_one(&one_thread, &golden.text)) == bits(vector), "{:?}", golden.text);
    }
    // A processor without dot products of bytes computes the vectors of the other precision.
    let is_exact = vectors.iter().zip(&golden).all(|(vector, golden)| *vector == encode_one(encoder(), &golden.text));
    assert_eq!(is_exact, one_thread.info().id == encoder().info().id);
}

/// Checks that no candle threads are started. candle's own operations start threads for long texts.
#[cfg(target_os = "linux")]
#[test]
fn long_texts_stay_on_the_encoders_threads() {
    let encoder = Encoder::load(model_dir(), options(1)).unwrap();
    encode_one(&encoder, &"The caravan came from the south. ".repeat(60));
    let names: Vec<String> = fs::read_dir("/proc/self/task")
        .unwrap()
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("comm")).ok())
        .collect();
    assert!(names.iter().any(|name| name.starts_with("hearsay-embed")), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("candle")), "{names:?}");
}

#[test]
fn any_text_has_a_finite_vector_of_length_one() {
    let huge = "The queen's ledger, page by page. ".repeat(3_100);
    assert!(huge.len() > 100_000);
    let one_word = "x".repeat(100_000);
    let texts = [
        "",
        " \t\r\n\u{3000} ",
        "\0",
        "before\0after",
        "\u{fffd}\u{200b}\u{feff}\u{7f}",
        "🐉",
        "👨‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿",
        "Æthelred ле́то 龍 تنين ड्रैगन 🐉 crown",
        "e\u{301}\u{301}\u{301}\u{301}",
        "[CLS] [SEP] [PAD] [MASK]",
        &huge,
        &one_word,
    ];
    for (text, vector) in texts.iter().zip(encoder().encode(&texts).unwrap()) {
        let start: String = text.chars().take(20).collect();
        assert_eq!(vector.len(), 384);
        let length = dot(&vector, &vector).sqrt();
        assert!((length - 1.0).abs() < 1e-5, "{length} for {start:?}");
    }
    assert_eq!(encoder().count_tokens(&huge).unwrap(), 256);
    // The tokenizer ignores white space and control characters.
    let empty = bits(&encode_one(encoder(), ""));
    for text in &texts[1..3] {
        assert_eq!(bits(&encode_one(encoder(), text)), empty, "{text:?}");
    }
}

// Properties of a model

#[test]
fn info_describes_the_default_model() {
    let info = encoder().info();
    assert_eq!(info.name, "all-MiniLM-L6-v2");
    assert_eq!((info.dimension, info.max_tokens), (384, 256));
    assert_eq!((info.pooling, info.normalized), (Pooling::Mean, true));
    assert_eq!(info.directory.as_deref(), Some(model_dir().as_path()));
    let json = serde_json::to_value(info).unwrap();
    assert_eq!(json["pooling"], "mean");
    assert_eq!(json["id"], Value::String(info.id.clone()));
}

#[cfg(feature = "bundled-model")]
#[test]
fn the_bundled_model_is_the_default_model() {
    let bundled = Encoder::open_in(&hearsay_embed::LookupEnvironment::default(), None, options(1)).unwrap();
    assert_eq!(bundled.info().id, encoder().info().id);
    assert_eq!(bundled.info().directory, None);
    let text = "Who told Lyra?";
    assert_eq!(bits(&encode_one(&bundled, text)), bits(&encode_one(encoder(), text)));
}

#[test]
fn the_id_changes_with_whatever_changes_vectors_and_with_nothing_else() {
    let model = TinyModel::new();
    let hash = || {
        let encoder = Encoder::load(model.path(), options(1)).unwrap();
        let id = encoder.info().id.clone();
        id.rsplit_once('@').unwrap().1.to_owned()
    };
    let first = hash();
    assert_eq!(first.len(), 12);
    let mut ids = vec![first.clone()];
    let mut check_new = |changed: &str| {
        let new = hash();
        assert!(!ids.contains(&new), "{changed} should change the id");
        ids.push(new);
    };

    model.write_json("modules.json", &json!([{"path": "", "type": "models.Transformer"}]));
    check_new("normalisation");
    fs::remove_file(model.file("modules.json")).unwrap();
    model.write_json("1_Pooling/config.json", &json!({"pooling_mode_max_tokens": true}));
    check_new("pooling");
    fs::remove_file(model.file("1_Pooling/config.json")).unwrap();
    model.write_json("sentence_bert_config.json", &json!({"max_seq_length": 5}));
    check_new("length");
    fs::remove_file(model.file("sentence_bert_config.json")).unwrap();
    let mut other = tokenizer();
    other["normalizer"] = Value::Null;
    model.write_json("tokenizer.json", &other);
    check_new("the tokenizer");
    model.write_json("tokenizer.json", &tokenizer());
    let mut other = tensors();
    other.values_mut().next().unwrap().1[0] += 1.0;
    model.write_tensors(&other, Dtype::F32);
    check_new("a weight");
    model.write_tensors(&tensors(), Dtype::F32);

    let mut other = config();
    other["transformers_version"] = json!("9.9");
    model.write_json("config.json", &other);
    assert_eq!(hash(), first, "what no vector depends on does not count");
}

// Models other than the default one

#[test]
fn weights_of_every_float_type_give_the_same_model() {
    let model = TinyModel::new();
    let encode = || {
        let encoder = Encoder::load(model.path(), options(1)).unwrap();
        bits(&encode_one(&encoder, "The queen lies"))
    };
    let expected = encode();
    for dtype in [Dtype::F16, Dtype::BF16] {
        model.write_tensors(&tensors(), dtype);
        assert_eq!(encode(), expected, "{dtype:?}");
    }
    // Uses the tensor names of models with a task-specific head and of models converted from TensorFlow.
    let renamed = tensors()
        .into_iter()
        .map(|(name, tensor)| {
            let name = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta");
            (format!("bert.{name}"), tensor)
        })
        .collect();
    model.write_tensors(&renamed, Dtype::F32);
    assert_eq!(encode(), expected, "renamed");
}

#[test]
fn pooling_normalisation_and_length_are_as_the_files_say() {
    let model = TinyModel::new();
    let load = || Encoder::load(model.path(), options(1)).unwrap();
    let text = "the queen lies";
    // tokenizer.json says: truncate to 3 tokens, pad to 9 tokens. The encoder must ignore both settings.
    assert_eq!(load().count_tokens(text).unwrap(), 5);
    assert_eq!(load().count_tokens(&"lies ".repeat(50)).unwrap(), 12);
    let mean = encode_one(&load(), text);
    assert!((dot(&mean, &mean) - 1.0).abs() < 1e-6);

    model.write_json(
        "modules.json",
        &json!([{"path": "", "type": "models.Transformer"}, {"path": "1_Pooling", "type": "models.Pooling"}]),
    );
    model.write_json("1_Pooling/config.json", &json!({"pooling_mode_cls_token": true}));
    let cls = encode_one(&load(), text);
    assert!((dot(&cls, &cls) - 1.0).abs() > 1e-3, "not normalised");
    model.write_json("1_Pooling/config.json", &json!({"pooling_mode_max_tokens": true}));
    let max = encode_one(&load(), text);
    assert!(max.iter().zip(&cls).all(|(max, cls)| max >= cls), "{max:?} {cls:?}");

    model.write_json("sentence_bert_config.json", &json!({"max_seq_length": 4}));
    assert_eq!(load().info().max_tokens, 4);
    assert_eq!(encode_one(&load(), text), encode_one(&load(), "the queen"));
}

// Damage

/// Checks that loading fails with a message that contains each of `expected`.
fn check_damage(model: &TinyModel, expected: &[&str]) -> EmbedError {
    let error = Encoder::load(model.path(), options(1)).expect_err("damage must be found");
    let message = error.to_string();
    for part in expected {
        assert!(message.contains(part), "{message:?} should say {part:?}");
    }
    error
}

#[test]
fn missing_files_are_named() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let model = TinyModel::new();
        fs::remove_file(model.file(name)).unwrap();
        let error = check_damage(&model, &[name, "is missing"]);
        assert!(matches!(error, EmbedError::MissingFile { .. }));
    }
    let model = TinyModel::new();
    fs::remove_file(model.file("config.json")).unwrap();
    fs::create_dir(model.file("config.json")).unwrap();
    let error = check_damage(&model, &["config.json", "cannot be read"]);
    assert!(matches!(error, EmbedError::UnreadableFile { .. }));
}

#[test]
fn files_cut_at_any_length_are_errors() {
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        let model = TinyModel::new();
        let whole = fs::read(model.file(name)).unwrap();
        let step = (whole.len() / 60).max(1);
        for len in (0..whole.len()).step_by(step).chain([whole.len() - 1]) {
            model.write(name, &whole[..len]);
            check_damage(&model, &[name, "Download this file again"]);
        }
    }
    let model = TinyModel::new();
    model.write("model.safetensors", "");
    check_damage(&model, &["model.safetensors is damaged: it is empty"]);
    model.write("model.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
    check_damage(&model, &["git lfs pull"]);
}

#[test]
fn garbage_in_any_file_is_an_error() {
    for name in [
        "config.json",
        "tokenizer.json",
        "model.safetensors",
        "modules.json",
        "1_Pooling/config.json",
        "sentence_bert_config.json",
    ] {
        for garbage in [&b"{]"[..], b"[]x", b"\xff\xfe\x00", b"null", b"{\"a\": 1e999}"] {
            let model = TinyModel::new();
            model.write(name, garbage);
            // Unknown fields are allowed in sentence_bert_config.json and 1_Pooling/config.json.
            if name.contains("bert") && garbage.starts_with(b"{\"a\"") {
                continue;
            }
            check_damage(&model, &[name]);
        }
    }
}

#[test]
fn flipped_bytes_in_the_header_never_panic() {
    let model = TinyModel::new();
    let whole = fs::read(model.file("model.safetensors")).unwrap();
    for at in (0..2_000).step_by(7) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x15;
        model.write("model.safetensors", &flipped);
        // Some flips change a name that nothing uses, so this checks only that loading does not panic.
        if let Ok(encoder) = Encoder::load(model.path(), options(1)) {
            drop(encoder.encode(&["the queen lies"]));
        }
    }
}

#[test]
fn each_missing_tensor_is_named() {
    for name in tensors().keys() {
        let model = TinyModel::new();
        let mut rest = tensors();
        rest.remove(name);
        model.write_tensors(&rest, Dtype::F32);
        let error = check_damage(&model, &["model.safetensors", &format!("no tensor `{name}`")]);
        assert!(matches!(error, EmbedError::MissingTensor { .. }));
    }
}

#[test]
fn a_configuration_of_another_model_is_found_out() {
    for (field, value, expected) in [
        ("hidden_size", 16, "has the shape [6, 8], but config.json requires the shape [6, 16]"),
        ("vocab_size", 7, "has the shape [6, 8], but config.json requires the shape [7, 8]"),
        ("intermediate_size", 17, "requires the shape [17, 8]"),
        ("max_position_embeddings", 13, "requires the shape [13, 8]"),
        ("type_vocab_size", 1, "requires the shape [1, 8]"),
        ("num_hidden_layers", 3, "no tensor `encoder.layer.2."),
        ("num_hidden_layers", usize::MAX, "no tensor `encoder.layer.2."),
        ("hidden_size", usize::MAX - 1, "config.json requires"),
        ("num_attention_heads", 3, "`num_attention_heads` is 3, expected a divisor"),
        ("vocab_size", 5, "it has 6 tokens, but the model's config.json has 5"),
    ] {
        let model = TinyModel::new();
        let mut other = config();
        other[field] = json!(value);
        model.write_json("config.json", &other);
        check_damage(&model, &[expected]);
    }
    let model = TinyModel::new();
    model.write_json("sentence_bert_config.json", &json!({"max_seq_length": 2}));
    check_damage(&model, &["it adds 2 special tokens", "max_seq_length"]);
}

#[test]
fn unusable_numbers_are_errors() {
    let model = TinyModel::new();
    model.write_tensors(&tensors(), Dtype::F64);
    check_damage(&model, &["of type F64"]);

    for invalid in [f32::NAN, f32::INFINITY] {
        let mut damaged = tensors();
        damaged.get_mut("encoder.layer.1.output.dense.bias").unwrap().1[3] = invalid;
        model.write_tensors(&damaged, Dtype::F32);
        check_damage(&model, &["`encoder.layer.1.output.dense.bias`", "not finite"]);
    }

    // All weights are finite, but their products are not.
    let mut damaged = tensors();
    for (_, values) in damaged.values_mut() {
        for value in values {
            *value = 3e38;
        }
    }
    model.write_tensors(&damaged, Dtype::F32);
    let encoder = Encoder::load(model.path(), options(1)).unwrap();
    let error = encoder.encode(&["the queen lies", "lies"]).unwrap_err();
    assert!(matches!(error, EmbedError::Inference { .. }), "{error}");
}

#[test]
fn a_token_without_a_vector_is_an_error() {
    let model = TinyModel::new();
    let mut sparse = tokenizer();
    sparse["model"]["vocab"]["lies"] = json!(4_000_000);
    model.write_json("tokenizer.json", &sparse);
    let encoder = Encoder::load(model.path(), options(1)).unwrap();
    let error = encoder.encode(&["the queen lies"]).unwrap_err();
    assert!(matches!(error, EmbedError::Inference { .. }), "{error}");
    assert!(encoder.encode(&["the queen"]).is_ok());
}
