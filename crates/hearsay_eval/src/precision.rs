//! The option `--precision`.

use clap::ValueEnum;
use hearsay_embed::WeightPrecision;

/// Precision with which a model multiplies by its weights.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WeightPrecisionArg {
    /// 32 bits
    F32,
    /// 8 bits, if the processor has instructions for dot products of bytes
    Int8,
}

impl From<WeightPrecisionArg> for WeightPrecision {
    fn from(precision: WeightPrecisionArg) -> Self {
        match precision {
            WeightPrecisionArg::F32 => Self::F32,
            WeightPrecisionArg::Int8 => Self::Int8,
        }
    }
}
