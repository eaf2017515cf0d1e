use proptest::prelude::*;

use super::*;

fn read(file: &str, text: &str) -> Vec<(u32, String)> {
    let transcript = Transcript::read(file, text.as_bytes()).unwrap();
    let line = |utterance: &Utterance| {
        (utterance.line, format!("{}|{}", utterance.speaker.as_deref().unwrap_or("-"), utterance.text))
    };
    transcript.utterances.iter().map(line).collect()
}

fn check(file: &str, text: &str, expected: &[(u32, &str)]) {
    let expected: Vec<(u32, String)> = expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
    assert_eq!(read(file, text), expected, "{text}");
}

#[test]
fn plain_lines_have_their_speakers() {
    check(
        "s.txt",
        "\u{FEFF}Anna: We go in.\r\n[00:12:03] DM: The door creaks.\r\n(12:04) Ben (GM): Roll for it.\r\n\r\nRain falls.\r\n**Lyra:** Who is there?\r\n  Answer me!\r\n00:13:00 - Mr. Voss: I said: leave.\r\n",
        &[
            (1, "Anna|We go in."),
            (2, "DM|The door creaks."),
            (3, "Ben (GM)|Roll for it."),
            (5, "-|Rain falls."),
            (6, "Lyra|Who is there? Answer me!"),
            (8, "Mr. Voss|I said: leave."),
        ],
    );
    check(
        "s.txt",
        "We met at 12:30 by the gate.\nSee http://example.org now",
        &[(1, "-|We met at 12:30 by the gate."), (2, "-|See http://example.org now")],
    );
    check(
        "s",
        "He left the room. Then nobody came: nothing.",
        &[(1, "-|He left the room. Then nobody came: nothing.")],
    );
    check("s", "one\rAnna: two", &[(1, "-|one"), (2, "Anna|two")]);
}

#[test]
fn brackets_after_a_speaker_can_name_hearers() {
    for (name, expected) in [
        ("Lotti (to Ysolde)", Some(("Lotti", "Ysolde"))),
        ("Lotti [Whispers to Ysolde, Tamsin and Odo]", Some(("Lotti", "Ysolde, Tamsin and Odo"))),
        ("Lotti [to Ysolde", Some(("Lotti", "Ysolde"))),
        ("Lotti (laughing) (quietly to Ysolde)", Some(("Lotti (laughing)", "Ysolde"))),
        ("Lotti (laughing)", None),
        ("Lotti (whispers to)", None),
        ("Lotti (tomorrow)", None),
        ("Lotti (t\u{F6} Ysolde)", None),
        ("(to Ysolde)", None),
        ("Lotti", None),
    ] {
        assert_eq!(split_hearers(name), expected, "{name}");
    }
    // The names of the hearers do not make the name of the speaker too long.
    let speaker = "Father Anselm Crow (whispers to Tamsin Holloway, Ysolde Marr and Brannoc Reed)";
    assert_eq!(split_speaker(&format!("{speaker}: Run!")), Some((speaker, "Run!")));
    assert_eq!(split_speaker("He left in a hurry (it was late, after all): nothing."), None);
}

#[test]
fn marks_in_square_brackets_name_the_place_of_the_next_lines() {
    let gull = |line| PlaceMark { line, place: "The Gilded Gull".into() };
    for (file, text, expected, mark) in [
        ("s.txt", "Anna: We go\n[At The Gilded Gull]\n  in.\n", [(1, "Anna|We go"), (3, "-|in.")], gull(2)),
        (
            "s.txt",
            "Anna: We go\n[12:03] DM: [at The Gilded Gull]\nDM: In.\n",
            [(1, "Anna|We go"), (3, "DM|In.")],
            gull(2),
        ),
        (
            "s.vtt",
            "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>We go\n\n00:02.000 --> 00:03.000\n[at The Gilded Gull]\n\n\
             00:03.000 --> 00:04.000\n<v Anna>in.\n",
            [(4, "Anna|We go"), (10, "Anna|in.")],
            gull(7),
        ),
        (
            "s.jsonl",
            "{\"speaker\": \"Anna\", \"text\": \"We go\"}\n{\"text\": \"[at The Gilded Gull]\"}\n{\"text\": \"in.\"}\n",
            [(1, "Anna|We go"), (3, "-|in.")],
            gull(2),
        ),
    ] {
        check(file, text, &expected);
        assert_eq!(Transcript::read(file, text.as_bytes()).unwrap().places, [mark], "{text}");
    }
    for text in ["[at]", "(at The Gilded Gull)", "[at last] Hm.", "[attack]", "[[at The Gilded Gull]]"] {
        assert_eq!(read("s.txt", text).len(), 1, "{text}");
    }
}

#[test]
fn chat_exports_name_the_speaker_above() {
    check(
        "chat.txt",
        "==========\n[12/03/2026 20:14] anna#1234\nWe take the boat.\nNote: bring the rope.\n\n[12/03/2026 20:15] ben\nNo!\n",
        &[(3, "anna#1234|We take the boat."), (4, "anna#1234|Note: bring the rope."), (7, "ben|No!")],
    );
    check(
        "chat.txt",
        "Anna \u{2014} Today at 20:14\nHello\nBen \u{2014} 03/12/2026 8:15 PM\nHi",
        &[(2, "Anna|Hello"), (4, "Ben|Hi")],
    );
    check("chat.txt", "[20:14] anna: hello\n[20:15] ben: hi", &[(1, "anna|hello"), (2, "ben|hi")]);
}

#[test]
fn webvtt_has_voices_notes_and_settings() {
    check(
        "s.vtt",
        "WEBVTT - session 3\nKind: captions\n\nNOTE made by a recorder\n\nSTYLE\n::cue { color: red }\n\nintro\n00:01.000 --> 00:03.500 align:start position:0%\n<v Anna>The ledger is\n\n2\n00:00:03.500 --> 00:00:05.000\n<v Anna>under the &amp; floor.</v>\n<v.loud Ben B>Quiet, <i>please</i>!\n\n00:06.000 --> 00:07.000\nDM: A dog\n<00:06.500>barks.\n",
        &[(11, "Anna|The ledger is under the & floor."), (15, "Ben B|Quiet, please!"), (19, "DM|A dog barks.")],
    );
}

#[test]
fn subrip_has_speakers_or_not() {
    check(
        "s.srt",
        "1\n00:00:01,000 --> 00:00:02,000\nAnna: Hello\n<i>there</i>.\n\n2\n00:00:03,000 --> 00:00:04,000\n{\\an8}- Who is it?\n- Me.\n\n3\n00:00:05,000 --> 00:00:06,000\n\n",
        &[(3, "Anna|Hello there."), (8, "-|Who is it?"), (8, "-|Me.")],
    );
}

#[test]
fn json_lines_of_speech_recognition_are_read() {
    check(
        "evening",
        r#"{"start": 0.5, "end": 2, "text": " The ledger is", "speaker": "Anna"}
{"partial": "gone"}
{"text": "gone?", "is_final": false, "speaker": "Anna"}
{"text": "gone.", "speaker": "Anna"}

{"transcript": "Quiet!", "speaker_label": 2, "timestamp": "00:01:07.5"}
{"text": "DM: A dog barks."}
{"text": "..."}
"#,
        &[(1, "Anna|The ledger is gone."), (6, "Speaker 2|Quiet!"), (7, "DM|A dog barks.")],
    );
    let broken = Transcript::read("s.jsonl", b"Anna: hello\n{\"words\": 3}\n{\"text\": \"Hi.\"}\n").unwrap();
    assert_eq!(broken.utterances.len(), 1);
    let expected = [
        "line 1: skipped, because it is not a JSON object",
        "line 2: skipped, because it has no key `text` or `transcript` with a text",
    ];
    assert_eq!(broken.notes, expected);
}

/// Returns the new utterances of a live transcript.
fn new_utterances(live: &mut LiveTranscript, writer: TranscriptWriter) -> Vec<(u32, String)> {
    let Some(update) = live.new_utterances(writer).unwrap() else { return Vec::new() };
    let utterances = update.transcript.utterances.into_iter();
    utterances.filter(|new| new.line >= update.first_line).map(|new| (new.line, new.text)).collect()
}

#[test]
fn a_live_transcript_returns_each_utterance_once() {
    let mut live = LiveTranscript::new("s.vtt", Vec::new());
    live.push(b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Anna>The ledger");
    assert_eq!(new_utterances(&mut live, TranscriptWriter::Writing), []);
    live.push(b" is\n\n00:02.000 --> 00:03.000\n<v Anna>gone.\n<v Ben>No!\n\n");
    assert_eq!(
        new_utterances(&mut live, TranscriptWriter::Writing),
        [(4, "The ledger is gone.".to_owned())],
        "Ben may go on"
    );
    assert_eq!(new_utterances(&mut live, TranscriptWriter::Paused), [(7, "No!".to_owned())]);
    assert_eq!(new_utterances(&mut live, TranscriptWriter::Paused), []);
    // A later run does not return what is recorded.
    let mut live = LiveTranscript::new("s.txt", vec![(2, "two".into())]);
    live.push(b"Anna: one\nBen: two\nAnna: thr");
    assert_eq!(new_utterances(&mut live, TranscriptWriter::Writing), []);
    assert_eq!(new_utterances(&mut live, TranscriptWriter::Paused), [], "the line is incomplete");
    live.push(b"ee\n");
    assert_eq!(new_utterances(&mut live, TranscriptWriter::Paused), [(3, "three".to_owned())]);
    // A recorded utterance that goes on is split too, whether or not its speaker is identified.
    for recorded in ["three goblins", "Mia: three goblins"] {
        let mut live = LiveTranscript::new("s.jsonl", vec![(1, recorded.into())]);
        live.push(
            b"{\"speaker\": \"Mia\", \"text\": \"three goblins\"}\n{\"speaker\": \"Mia\", \"text\": \"I draw.\"}\n",
        );
        assert_eq!(new_utterances(&mut live, TranscriptWriter::Paused), [(2, "I draw.".to_owned())]);
        assert_eq!(new_utterances(&mut live, TranscriptWriter::Paused), []);
    }
    let mut live = LiveTranscript::new("s.txt", vec![(3, "three".into())]);
    live.push(b"Anna: one\nBen: two\nAnna: three\n");
    assert_eq!(new_utterances(&mut live, TranscriptWriter::Paused), []);
    // An utterance that goes on after a pause.
    live.push(b"  and four\n");
    assert_eq!(new_utterances(&mut live, TranscriptWriter::Paused), [(4, "and four".to_owned())]);
    live.push(b"  and five\nBen: six\n");
    assert_eq!(
        new_utterances(&mut live, TranscriptWriter::Paused),
        [(5, "and five".to_owned()), (6, "six".to_owned())]
    );
}

#[test]
fn errors_name_their_line() {
    let error = |bytes: &[u8]| Transcript::read("s.txt", bytes).unwrap_err().to_string();
    assert!(error(b"").contains("s.txt: the file has no lines of speech"));
    assert!(error(b"----\n\n").contains("no lines of speech"));
    assert!(error(b"a\nb\0c").starts_with("s.txt:2: the file has a zero byte"));
    assert!(error(b"\xFF\xFEa\0").contains("UTF-16"));
    let latin = Transcript::read("s.txt", b"Anna: hello\nZo\xEB: caf\xE9 \x93now\x94\n").unwrap();
    assert_eq!(latin.utterances[1].speaker.as_deref(), Some("Zo\u{EB}"));
    assert_eq!(latin.utterances[1].text, "caf\u{E9} \u{201C}now\u{201D}");
    assert_eq!(latin.notes, ["line 2: not UTF-8, read as Windows-1252"]);
    let vtt = Transcript::read("s.vtt", b"WEBVTT\n\nsoon --> later\nHello.\n\nlost words\n").unwrap();
    assert_eq!(vtt.utterances.len(), 2);
    assert!(vtt.notes[0].contains("line 3: `soon --> later` is not a time range"), "{:?}", vtt.notes);
    assert!(vtt.notes[1].contains("line 6"));
}

#[test]
fn a_large_file_takes_no_time() {
    let long = format!("Anna: {}\n", "word ".repeat(2_000_000));
    let started_at = std::time::Instant::now();
    assert_eq!(Transcript::read("s.txt", long.as_bytes()).unwrap().utterances.len(), 1);
    let cues: String = (0..100_000).map(|n| format!("{n}\n00:00:01,000 --> 00:00:02,000\n<v A{n}>w<{{\n\n")).collect();
    assert!(Transcript::read("s.srt", cues.as_bytes()).unwrap().utterances.len() >= 100_000);
    assert!(started_at.elapsed().as_secs() < 10, "{:?}", started_at.elapsed());
}

fn pieces_of(pieces: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(pieces), 1..30)
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), name in "s\\.(txt|vtt|srt|jsonl)") {
        let _ = Transcript::read(&name, &bytes);
    }

    #[test]
    fn a_live_transcript_loses_no_word(
        (head, pieces) in prop_oneof![
            (Just("Anna: so\n"), pieces_of(&["Anna: we go", "\n", "Ben: no.", "  in", "\n\n", "It rains"])),
            (Just("WEBVTT\n\n"), pieces_of(&["\n\n00:01.000 --> 00:02.000\n", "<v Anna>", "we go", "Ben: no.", "\n\n", " in\n"])),
            (Just("{\"text\": \"so\"}\n"), pieces_of(&["{\"text\": ", "\"hi\"}", "\n", "{\"text\": \"Go.\"}\n"])),
        ],
        settled in prop::collection::vec(any::<bool>(), 30),
        restarts in prop::collection::vec(0..8_u8, 30),
    ) {
        let mut live = LiveTranscript::new("s", Vec::new());
        live.push(head.as_bytes());
        let (mut found, mut written) = (Vec::new(), head.to_owned());
        for ((piece, settled), restart) in pieces.iter().zip(settled).zip(restarts) {
            live.push(piece.as_bytes());
            written.push_str(piece);
            // A program that pauses has written whole cues.
            let is_whole = written.ends_with("\n\n") || !written.starts_with("WEBVTT");
            let writer = if settled && is_whole { TranscriptWriter::Paused } else { TranscriptWriter::Writing };
            found.extend(new_utterances(&mut live, writer));
            if restart == 0 {
                live = LiveTranscript::new("s", found.clone());
                live.push(written.as_bytes());
            }
        }
        found.extend(new_utterances(&mut live, TranscriptWriter::Ended));
        let expected = Transcript::read("s", written.as_bytes()).map_or_else(|_| Vec::new(), |whole| whole.utterances);
        let words = |texts: Vec<String>| texts.join(" ").split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        prop_assert!(found.windows(2).all(|pair| pair[0].0 <= pair[1].0), "{:?}", found);
        prop_assert_eq!(
            words(found.into_iter().map(|(_, text)| text).collect()),
            words(expected.into_iter().map(|utterance| utterance.text).collect())
        );
    }

    #[test]
    fn no_pieces_panic(
        pieces in prop::collection::vec(prop_oneof![
            Just("WEBVTT"), Just("\n"), Just("\n\n"), Just("-->"), Just("00:01.000"), Just("<v "), Just(">"), Just("{\\"),
            Just("}"), Just("[12:30]"), Just(": "), Just("Anna"), Just(" \u{2014} "), Just("&amp;"), Just("é"), Just("NOTE"),
        ], 0..40),
        name in "s\\.(txt|vtt|srt|jsonl)",
    ) {
        let text = pieces.concat();
        if let Ok(read) = Transcript::read(&name, text.as_bytes()) {
            prop_assert!(!read.utterances.is_empty());
            for said in &read.utterances {
                prop_assert!(!said.text.trim().is_empty() && !said.text.contains('\n'));
                prop_assert!(said.line >= 1 && said.line as usize <= text.lines().count() + 1);
            }
        }
    }
}
