//! Tests of reading, planning and exporting as a whole. Those of parts stand beside them.

mod campaigns;
