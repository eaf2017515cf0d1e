//! A tiny sentence-transformers model that tests can write and damage.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use safetensors::{Dtype, tensor::TensorView};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A directory with a BERT model of 8 dimensions. Its vocabulary consists of "the", "queen", "lies" and three special
/// tokens.
pub(crate) struct TinyModel {
    dir: TempDir,
}

/// Shape and values of each tensor, by name.
pub(crate) type Tensors = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

impl TinyModel {
    pub(crate) fn new() -> Self {
        let model = Self { dir: tempfile::tempdir().unwrap() };
        model.write_json("config.json", &config());
        model.write_json("tokenizer.json", &tokenizer());
        model.write_tensors(&tensors(), Dtype::F32);
        model
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn write_json(&self, name: &str, value: &Value) {
        self.write(name, value.to_string());
    }

    pub(crate) fn write_tensors(&self, tensors: &Tensors, dtype: Dtype) {
        let bytes: Vec<(&String, &Vec<usize>, Vec<u8>)> =
            tensors.iter().map(|(name, (shape, values))| (name, shape, to_bytes(values, dtype))).collect();
        let views = bytes
            .iter()
            .map(|(name, shape, bytes)| (name.as_str(), TensorView::new(dtype, shape.to_vec(), bytes).unwrap()));
        self.write("model.safetensors", safetensors::serialize(views, None).unwrap());
    }
}

fn to_bytes(values: &[f32], dtype: Dtype) -> Vec<u8> {
    let bytes = |value: &f32| match dtype {
        Dtype::F16 => half::f16::from_f32(*value).to_le_bytes().to_vec(),
        Dtype::BF16 => half::bf16::from_f32(*value).to_le_bytes().to_vec(),
        Dtype::F64 => f64::from(*value).to_le_bytes().to_vec(),
        _ => value.to_le_bytes().to_vec(),
    };
    values.iter().flat_map(bytes).collect()
}

pub(crate) fn config() -> Value {
    json!({
        "model_type": "bert", "vocab_size": 6, "hidden_size": 8, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 12,
        "type_vocab_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12
    })
}

pub(crate) fn tokenizer() -> Value {
    json!({
        "version": "1.0",
        // The encoder must ignore these truncation and padding settings.
        "truncation": {"max_length": 3, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": {
            "strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": null,
            "pad_id": 0, "pad_type_id": 0, "pad_token": "[CLS]"
        },
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "BertProcessing", "sep": ["[SEP]", 1], "cls": ["[CLS]", 0]
        },
        "decoder": null,
        "model": {
            "type": "WordLevel",
            "vocab": {"[CLS]": 0, "[SEP]": 1, "[UNK]": 2, "the": 3, "queen": 4, "lies": 5},
            "unk_token": "[UNK]"
        }
    })
}

/// Returns weights from a simple number generator with a fixed seed, so that no file of weights is needed.
pub(crate) fn tensors() -> Tensors {
    let mut tensors = Tensors::new();
    let mut state = 1_u32;
    let mut add = |name: String, shape: &[usize]| {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Multiples of 1/128 are exact in every float type, so the model is the same in all of them.
            f32::from((state >> 26) as u8) / 128.0 - 0.25
        };
        let values = (0..shape.iter().product()).map(|_| next()).collect();
        tensors.insert(name, (shape.to_vec(), values));
    };
    add("embeddings.word_embeddings.weight".to_owned(), &[6, 8]);
    add("embeddings.position_embeddings.weight".to_owned(), &[12, 8]);
    add("embeddings.token_type_embeddings.weight".to_owned(), &[2, 8]);
    add("embeddings.LayerNorm.weight".to_owned(), &[8]);
    add("embeddings.LayerNorm.bias".to_owned(), &[8]);
    for layer in 0..2 {
        for (name, inputs, outputs) in [
            ("attention.self.query", 8, 8),
            ("attention.self.key", 8, 8),
            ("attention.self.value", 8, 8),
            ("attention.output.dense", 8, 8),
            ("intermediate.dense", 8, 16),
            ("output.dense", 16, 8),
        ] {
            add(format!("encoder.layer.{layer}.{name}.weight"), &[outputs, inputs]);
            add(format!("encoder.layer.{layer}.{name}.bias"), &[outputs]);
        }
        for name in ["attention.output.LayerNorm", "output.LayerNorm"] {
            add(format!("encoder.layer.{layer}.{name}.weight"), &[8]);
            add(format!("encoder.layer.{layer}.{name}.bias"), &[8]);
        }
    }
    tensors
}
