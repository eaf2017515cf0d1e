//! Linear maps of a model, with weights of 32 or 8 bits.

use hearsay_simd::Processor;

use crate::{
    EmbedError,
    byte_kernel::ByteKernel,
    byte_linear::{ByteLinear, ByteRows},
    math::Activation,
    matmul::FloatLinear,
    panels::{Panels, Rows},
};

/// Precision of the weights in the matrix products of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WeightPrecision {
    /// Weights and inputs of 32 bits.
    #[default]
    F32,
    /// Weights and inputs of 8 bits, if the processor has instructions for dot products of bytes (VNNI). Without these
    /// instructions, the model uses 32 bits, because products of 8 bits would be slower.
    Int8,
}

/// A linear map: weights and biases.
pub(crate) enum Linear {
    Floats(FloatLinear),
    Bytes(ByteLinear),
}

impl Linear {
    /// Creates a linear map from weights in PyTorch's layout (outputs × inputs) and one bias per output.
    pub(crate) fn new(
        weight: Vec<f32>,
        bias: Vec<f32>,
        inputs: usize,
        precision: WeightPrecision,
    ) -> Result<Self, EmbedError> {
        let kernel = match precision {
            WeightPrecision::F32 => None,
            WeightPrecision::Int8 => ByteKernel::detect(),
        };
        match kernel {
            Some(kernel) => Ok(Self::Bytes(ByteLinear::new(kernel, &weight, bias, inputs))),
            None => FloatLinear::new(weight, bias, inputs).map(Self::Floats),
        }
    }

    /// Multiplies the rows of `x` by the weights, adds the bias and applies the activation function. Stores the
    /// result in `y`.
    ///
    /// If `parallel` is set, the threads of the current pool share the panels.
    pub(crate) fn apply(
        &self,
        processor: Processor,
        x: Rows<'_>,
        activation: Option<Activation>,
        parallel: bool,
        scratch: &mut ByteRows,
        y: &mut Panels,
    ) -> Result<(), EmbedError> {
        match self {
            Self::Floats(linear) => linear.apply(processor, x, activation, parallel, y),
            Self::Bytes(linear) => {
                linear.apply(processor, x, activation, parallel, scratch, y);
                Ok(())
            }
        }
    }
}
