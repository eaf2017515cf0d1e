//! The DM's confirmation of a change. The server requests the confirmation through elicitation, the MCP feature with
//! which a server asks the user.

use std::collections::BTreeMap;

use rmcp::{
    RoleServer,
    model::{
        ElicitRequest, ElicitRequestParams, ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
        ProtocolVersion,
    },
    service::{ElicitationError, ElicitationMode, RequestContext},
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ToolError;

/// Key of the request for confirmation among the input requests of a tool call.
const CONFIRMATION: &str = "confirmation";

/// Answer of the DM to a request for confirmation.
#[derive(Debug, Deserialize, JsonSchema)]
struct Confirmation {
    /// Whether to carry out the change.
    confirm: bool,
}

rmcp::elicit_safe!(Confirmation);

/// The parts of a tool call with which the DM confirms it.
pub(crate) struct Confirming<'a> {
    pub(crate) context: &'a RequestContext<RoleServer>,
    /// Whether the argument `confirm` is set.
    pub(crate) is_confirmed: bool,
    /// Answers to earlier requests for input.
    pub(crate) responses: Option<InputResponses>,
}

impl Confirming<'_> {
    /// Asks the DM to confirm a change. If the client cannot ask the DM, the argument `confirm` must be set. Returns
    /// `None` if the change is confirmed, or the request for input that the client must answer first.
    ///
    /// Since the protocol version 2026-07-28, the server cannot send requests to the client. Instead, a tool call
    /// returns a request for input, and the client repeats the call with the answer.
    pub(crate) async fn ask(self, question: &str) -> Result<Option<InputRequiredResult>, ToolError> {
        let version = self.context.protocol_version();
        let is_repeated_call = version.is_some_and(|v| v.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        match is_repeated_call {
            true => self.ask_by_repeated_call(question),
            false => self.ask_by_request(question).await.map(|()| None),
        }
    }

    fn ask_by_repeated_call(self, question: &str) -> Result<Option<InputRequiredResult>, ToolError> {
        let can_ask = self.context.client_capabilities().is_some_and(|capabilities| {
            capabilities.elicitation.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
        });
        if !can_ask {
            return check_argument(self.is_confirmed, question).map(|()| None);
        }
        if let Some(answer) = self.responses.as_ref().and_then(|responses| responses.get(CONFIRMATION)) {
            let is_accepted = answer["action"] == "accept" && answer["content"]["confirm"] == true;
            return if is_accepted { Ok(None) } else { Err(declined()) };
        }
        let schema = ElicitationSchema::from_type::<Confirmation>()?;
        let request = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: question.to_owned(),
            requested_schema: schema,
        });
        let requests = BTreeMap::from([(CONFIRMATION.to_owned(), InputRequest::Elicitation(request))]);
        Ok(Some(InputRequiredResult::from_input_requests(requests)))
    }

    async fn ask_by_request(self, question: &str) -> Result<(), ToolError> {
        let peer = &self.context.peer;
        if peer.supported_elicitation_modes().contains(&ElicitationMode::Form) {
            match peer.elicit::<Confirmation>(question).await {
                Ok(Some(Confirmation { confirm: true })) => return Ok(()),
                Ok(_) | Err(ElicitationError::UserDeclined | ElicitationError::UserCancelled) => {
                    return Err(declined());
                }
                Err(error) => tracing::warn!("the client could not ask the DM for confirmation: {error}"),
            }
        }
        check_argument(self.is_confirmed, question)
    }
}

/// Returns an error if the argument `confirm` is not set. Used if the client cannot ask the DM.
pub(crate) fn check_argument(is_confirmed: bool, question: &str) -> Result<(), ToolError> {
    match is_confirmed {
        true => Ok(()),
        false => Err(ToolError::Unconfirmed(format!(
            "nothing is changed, because the DM must confirm this: {question}; ask the DM, then repeat the call with \
             `confirm` set to true"
        ))),
    }
}

fn declined() -> ToolError {
    ToolError::Unconfirmed("the DM did not confirm this; nothing is changed".to_owned())
}
