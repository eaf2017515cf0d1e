//! Reading model whose results are derived from arbitrary bytes. This model needs no weights, so a fuzz target can test
//! the code around the encoder with any results of a model.

use hearsay_embed::{EmbedError, TokenText};

use super::{
    FEATURE_NAMES, ReadingModel, TokenEncoder,
    calibration::Calibration,
    heads::{HIDDEN_SIZE, Heads, TENSORS},
    window::{UNK_TOKEN, WindowSize},
};

/// Number of bytes between the vectors of two consecutive tokens. This number is smaller than the size of a vector, so
/// each byte influences many tokens.
const TOKEN_STRIDE: usize = 13;

/// Number of components between the components that two consecutive tensors select. Each head has at most five results,
/// so most heads select different components.
const TENSOR_STRIDE: usize = 8;

/// Encoder whose vectors consist of the bytes.
#[derive(Debug)]
struct ByteEncoder(Vec<u8>);

impl ByteEncoder {
    /// Returns the byte at an index, which is counted modulo the number of bytes, as a number from -4 to 4.
    fn component(&self, index: usize) -> f32 {
        let byte = self.0.get(index % self.0.len().max(1)).copied().unwrap_or_default();
        (f32::from(byte) - 128.0) / 32.0
    }
}

impl TokenEncoder for ByteEncoder {
    fn token_ids(&self, word: &str) -> Result<Vec<u32>, EmbedError> {
        Ok(vec![UNK_TOKEN; word.len() / 4])
    }

    fn token_vectors(&self, texts: &[TokenText]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vectors = |text: &TokenText| -> Vec<f32> {
            let tokens = 0..text.ids.len();
            let indices = tokens.flat_map(|token| (0..HIDDEN_SIZE).map(move |at| token * TOKEN_STRIDE + at));
            indices.map(|index| self.component(index)).collect()
        };
        Ok(texts.iter().map(vectors).collect())
    }
}

/// Returns the values of a head tensor. Each row selects one component of its input.
fn selection(name: &str) -> Vec<f32> {
    let Some((index, tensor)) = TENSORS.iter().enumerate().find(|(_, tensor)| tensor.name == name) else {
        return Vec::new();
    };
    let mut values = vec![0.0; tensor.shape.iter().product()];
    if let [rows, columns] = *tensor.shape {
        for row in 0..rows {
            values[row * columns + (row + index * TENSOR_STRIDE) % columns] = 1.0;
        }
    }
    values
}

impl ReadingModel {
    /// Creates a model whose results depend only on the given bytes and on the lengths of the lines and words.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            encoder: Box::new(ByteEncoder(bytes.to_vec())),
            heads: Heads::new(selection),
            calibration: Calibration::new(0.0, [0.25; FEATURE_NAMES.len()]),
            window_size: WindowSize::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_logits() {
        let model = ReadingModel::from_bytes(&(0..=255).collect::<Vec<u8>>());
        let text = TokenText { ids: vec![UNK_TOKEN; 2], types: vec![0; 2] };
        let vectors = model.encoder.token_vectors(&[text]).unwrap().remove(0);
        assert_eq!(vectors.len(), 2 * HIDDEN_SIZE);
        assert_eq!((vectors[0], vectors[1], vectors[HIDDEN_SIZE]), (-4.0, -127.0 / 32.0, -115.0 / 32.0));
        let [narration, in_character, out_of_character] = model.heads.talk_probabilities(&vectors[..HIDDEN_SIZE]);
        assert!(narration < in_character && in_character < out_of_character);
    }
}
