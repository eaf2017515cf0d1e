//! Weights in formats for which candle has fast kernels.

use std::io::{Cursor, Read, Seek};

use candle_core::{
    Device, Result,
    quantized::{GgmlDType, QTensor, gguf_file},
};

/// A model in memory.
pub(super) type ModelBytes = Cursor<Vec<u8>>;

/// Returns whether candle multiplies weights of this format without vector instructions.
fn is_slow(format: GgmlDType) -> bool {
    matches!(format, GgmlDType::Q4_1 | GgmlDType::Q5_0 | GgmlDType::Q5_1 | GgmlDType::Q8_1)
}

/// Returns a copy of the model in which weights of slow formats have 8 bits per number (Q8_0). Returns `None` if the
/// model has no such weights. The copy needs more memory, but writes about four times as fast.
pub(super) fn with_fast_weights(
    content: &gguf_file::Content,
    file: &mut (impl Read + Seek),
) -> Result<Option<(gguf_file::Content, ModelBytes)>> {
    if !content.tensor_infos.values().any(|info| is_slow(info.ggml_dtype)) {
        return Ok(None);
    }
    let mut tensors: Vec<(&str, QTensor)> = Vec::with_capacity(content.tensor_infos.len());
    for (name, info) in &content.tensor_infos {
        let tensor = content.tensor(file, name, &Device::Cpu)?;
        let tensor = if is_slow(info.ggml_dtype) {
            QTensor::quantize(&tensor.dequantize(&Device::Cpu)?, GgmlDType::Q8_0)?
        } else {
            tensor
        };
        tensors.push((name, tensor));
    }
    let tensors: Vec<(&str, &QTensor)> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
    let metadata: Vec<_> = content.metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let mut bytes = Cursor::new(Vec::new());
    gguf_file::write(&mut bytes, &metadata, &tensors)?;
    bytes.set_position(0);
    let content = gguf_file::Content::read(&mut bytes)?;
    Ok(Some((content, bytes)))
}
