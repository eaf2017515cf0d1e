//! The server: answers the requests of one client for one identity.

use std::{sync::Arc, time::Duration};

use hearsay_engine::Memory;
use hearsay_query::ids::require_entity;
use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, GetPromptRequestParams,
        GetPromptResponse, GetPromptResult, Implementation, JsonObject, ListPromptsResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
        ReadResourceResult, ResourceContents, Role, ServerCapabilities, ServerConfig, SubscribeRequestParams, Tool,
        UnsubscribeRequestParams,
    },
    service::RequestContext,
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    arguments::{AskAsArguments, DecideArguments, RecallArguments, UndoArguments},
    character,
    confirmation::{Confirming, check_argument},
    dm,
    error::{ServerError, ToolError},
    identity::SessionIdentity,
    outputs::RecallOutput,
    prompts::PromptName,
    recall::{recall, recall_text},
    resources::{ResourceDescription, ResourceName},
    subscriptions::Subscriptions,
    tools::{Effect, ToolDescription, ToolName},
};

/// Time between two checks of whether the server should stop.
const STOP_CHECK: Duration = Duration::from_millis(100);

/// An MCP server for one identity and one client.
#[derive(Debug, Clone)]
pub struct McpServer {
    memory: Arc<Memory>,
    identity: SessionIdentity,
    instructions: String,
    extracts_texts: bool,
    subscriptions: Arc<Subscriptions>,
}

/// Result of a tool: text for the model, and structured content.
struct ToolOutput {
    text: Option<String>,
    value: serde_json::Value,
}

impl ToolOutput {
    fn new(output: &impl Serialize) -> Result<Self, ToolError> {
        Ok(Self { text: None, value: serde_json::to_value(output)? })
    }

    fn from_recall(output: &RecallOutput) -> Result<Self, ToolError> {
        Ok(Self { text: Some(recall_text(output)), ..Self::new(output)? })
    }

    fn into_result(self) -> CallToolResult {
        let mut result = CallToolResult::structured(self.value);
        if let Some(text) = self.text {
            result.content = vec![ContentBlock::text(text)];
        }
        result
    }
}

impl McpServer {
    /// Creates a server.
    ///
    /// # Errors
    /// Returns an error if the character does not exist, or if the memory is closed.
    pub fn new(memory: Arc<Memory>, identity: SessionIdentity) -> Result<Self, ServerError> {
        let instructions = match &identity {
            SessionIdentity::Character(id) => {
                let id = id.clone();
                let exists = memory.read(move |world| Ok(require_entity(&world.state, &id)?))?;
                exists.wait()?;
                "You play one character of a campaign. `recall` returns what you know. You know nothing else. Call \
                 `recall` before you answer a question, and `may_i_tell` before you tell something that you conceal. \
                 `say` records the words that you say aloud."
            }
            SessionIdentity::Dm => {
                "You assist the DM of a campaign. You see everything, including secrets. `ask_as` answers as a character. \
                 `record` adds a fact that waits for review. `decide` and `undo` need the DM's confirmation."
            }
        };
        Ok(Self {
            memory,
            identity,
            instructions: instructions.to_owned(),
            extracts_texts: false,
            subscriptions: Arc::default(),
        })
    }

    /// Sets whether the server extracts facts in the background from the lines that it records. The default is `false`,
    /// because the memory itself extracts facts if its settings enable extraction.
    #[must_use]
    pub fn with_extraction(self, extracts_texts: bool) -> Self {
        Self { extracts_texts, ..self }
    }

    /// Returns a server for another client of the same identity. This client has its own subscriptions.
    #[cfg(feature = "http")]
    pub(crate) fn for_new_client(&self) -> Self {
        Self { subscriptions: Arc::default(), ..self.clone() }
    }

    /// Serves the client on standard input and output until the client closes the connection, or until `is_stopped`
    /// returns `true`. Blocks the calling thread.
    ///
    /// # Errors
    /// Returns an error if the runtime cannot be started, or if the client does not speak the protocol.
    pub fn serve_stdio(self, is_stopped: impl Fn() -> bool) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let result = runtime.block_on(async {
            let stopped = async {
                while !is_stopped() {
                    tokio::time::sleep(STOP_CHECK).await;
                }
            };
            tokio::select! {
                result = self.serve_streams(rmcp::transport::stdio()) => result,
                () = stopped => Ok(()),
            }
        });
        // A thread may still wait for standard input.
        runtime.shutdown_background();
        result
    }

    /// Serves a client on a stream until the client closes the connection.
    ///
    /// # Errors
    /// Returns an error if the client does not speak the protocol.
    pub async fn serve(self, stream: impl AsyncRead + AsyncWrite + Send + 'static) -> Result<(), ServerError> {
        self.serve_streams(tokio::io::split(stream)).await
    }

    async fn serve_streams<R, W>(self, streams: (R, W)) -> Result<(), ServerError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let running = match rmcp::serve_server(self, streams).await {
            Ok(running) => running,
            // A client may close the connection before it sends a request.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServerError::Protocol(error.to_string())),
        };
        running.waiting().await.map(drop).map_err(|error| ServerError::Protocol(error.to_string()))
    }

    /// Returns the tools of the identity.
    #[must_use]
    pub fn tools(&self) -> Vec<ToolDescription> {
        ToolName::all(&self.identity).iter().map(|tool| tool.describe()).collect()
    }

    /// Returns the resources of the identity.
    #[must_use]
    pub fn resources(&self) -> Vec<ResourceDescription> {
        ResourceName::all(&self.identity).iter().map(|resource| resource.describe()).collect()
    }

    /// Calls a tool for a client that does not use MCP, and returns the structured result. A tool that needs the DM's
    /// confirmation needs the argument `confirm`. Blocks the calling thread.
    ///
    /// # Errors
    /// Returns an error if the identity has no such tool, if the arguments are wrong, or if the tool fails.
    pub fn call_tool_blocking(&self, name: &str, arguments: JsonObject) -> Result<serde_json::Value, ToolError> {
        let tool = ToolName::find(&self.identity, name)
            .ok_or_else(|| ToolError::Missing(format!("there is no tool `{name}`")))?;
        let output = match tool {
            ToolName::Decide => {
                let arguments: DecideArguments = parsed(arguments)?;
                let is_confirmed = arguments.confirm;
                let planned = dm::plan_decision(&self.memory, arguments)?;
                check_argument(is_confirmed, &planned.question())?;
                ToolOutput::new(&dm::decide(&self.memory, planned)?)?
            }
            ToolName::Undo => {
                let arguments: UndoArguments = parsed(arguments)?;
                let planned = dm::plan_undo(&self.memory, &arguments)?;
                check_argument(arguments.confirm, &planned.question())?;
                ToolOutput::new(&dm::undo(&self.memory, &planned)?)?
            }
            _ => self.run(tool, arguments)?,
        };
        if tool.effect() != Effect::Reads {
            self.extract_texts();
        }
        Ok(output.value)
    }

    /// Returns the text of a resource for a client that does not use MCP. `name` is the name of the resource, such as
    /// `me`. Blocks the calling thread.
    ///
    /// # Errors
    /// Returns an error if the identity has no such resource, or if the memory fails.
    pub fn read_resource_blocking(&self, name: &str) -> Result<String, ToolError> {
        let mut resources = ResourceName::all(&self.identity).iter();
        let resource = resources
            .find(|resource| resource.describe().name == name)
            .ok_or_else(|| ToolError::Missing(format!("there is no resource `{name}`")))?;
        resource.text(&self.memory, &self.identity)
    }

    /// Runs a function on a thread that may block.
    async fn blocking<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Self) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let server = self.clone();
        match tokio::task::spawn_blocking(move || run(&server)).await {
            Ok(result) => result,
            Err(error) => {
                tracing::error!("a request failed: {error}");
                let message =
                    "the request failed because of an error in the server; the log of the server contains the details";
                Err(ToolError::Failed(message.to_owned()))
            }
        }
    }

    /// Runs a tool that needs no confirmation.
    fn run(&self, tool: ToolName, arguments: JsonObject) -> Result<ToolOutput, ToolError> {
        let memory = &*self.memory;
        match (&self.identity, tool) {
            (SessionIdentity::Character(me), ToolName::Recall) => {
                let question = character::own_question(memory, me, parsed::<RecallArguments>(arguments)?)?;
                ToolOutput::from_recall(&recall(memory, me, question)?)
            }
            (SessionIdentity::Character(me), ToolName::KnowAbout) => {
                ToolOutput::new(&character::know_about(memory, me, parsed(arguments)?)?)
            }
            (SessionIdentity::Character(me), ToolName::HowDoIKnow) => {
                ToolOutput::new(&character::how_do_i_know(memory, me, parsed(arguments)?)?)
            }
            (SessionIdentity::Character(me), ToolName::MayITell) => {
                ToolOutput::new(&character::may_i_tell(memory, me, parsed(arguments)?)?)
            }
            (SessionIdentity::Character(me), ToolName::CheckReply) => {
                ToolOutput::new(&character::check_reply(memory, me, parsed(arguments)?)?)
            }
            (SessionIdentity::Character(me), ToolName::Say) => {
                ToolOutput::new(&character::say(memory, me, parsed(arguments)?)?)
            }
            (SessionIdentity::Dm, ToolName::Search) => ToolOutput::new(&dm::search(memory, parsed(arguments)?)?),
            (SessionIdentity::Dm, ToolName::AskAs) => {
                let (character, question) = dm::question_as(memory, parsed::<AskAsArguments>(arguments)?)?;
                ToolOutput::from_recall(&recall(memory, &character, question)?)
            }
            (SessionIdentity::Dm, ToolName::Record) => ToolOutput::new(&dm::record(memory, parsed(arguments)?)?),
            (SessionIdentity::Dm, ToolName::Review) => ToolOutput::new(&dm::review(memory, parsed(arguments)?)?),
            (SessionIdentity::Dm, ToolName::Log) => ToolOutput::new(&dm::log(memory, parsed(arguments)?)?),
            _ => Err(ToolError::new("there is no such tool; list the tools to see their names")),
        }
    }

    async fn call(
        &self,
        tool: ToolName,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ToolError> {
        let (arguments, responses) = (request.arguments.unwrap_or_default(), request.input_responses);
        let output = match tool {
            ToolName::Decide => {
                let arguments: DecideArguments = parsed(arguments)?;
                let confirming = Confirming { context, is_confirmed: arguments.confirm, responses };
                let planned = self.blocking(|server| dm::plan_decision(&server.memory, arguments)).await?;
                if let Some(input_required) = confirming.ask(&planned.question()).await? {
                    return Ok(input_required.into());
                }
                self.blocking(|server| ToolOutput::new(&dm::decide(&server.memory, planned)?)).await?
            }
            ToolName::Undo => {
                let arguments: UndoArguments = parsed(arguments)?;
                let confirming = Confirming { context, is_confirmed: arguments.confirm, responses };
                let planned = self.blocking(move |server| dm::plan_undo(&server.memory, &arguments)).await?;
                if let Some(input_required) = confirming.ask(&planned.question()).await? {
                    return Ok(input_required.into());
                }
                self.blocking(move |server| ToolOutput::new(&dm::undo(&server.memory, &planned)?)).await?
            }
            _ => self.blocking(move |server| server.run(tool, arguments)).await?,
        };
        if tool.effect() != Effect::Reads {
            self.after_write(&context.peer).await;
        }
        Ok(output.into_result().into())
    }

    /// Starts the extraction of facts from new texts, if the server extracts facts.
    fn extract_texts(&self) {
        if self.extracts_texts
            && let Err(error) = self.memory.read_texts().map(drop)
        {
            tracing::warn!("Hearsay could not extract facts from the new text: {error}");
        }
    }

    /// Starts the extraction of facts from new texts, and notifies the client of the resources whose text changed.
    async fn after_write(&self, peer: &Peer<RoleServer>) {
        self.extract_texts();
        self.subscriptions.notify(&self.memory, &self.identity, peer).await;
    }

    fn find_resource(&self, uri: &str) -> Result<ResourceName, ErrorData> {
        ResourceName::find(&self.identity, uri)
            .ok_or_else(|| ErrorData::resource_not_found(format!("there is no resource `{uri}`"), None))
    }
}

/// Parses the arguments of a tool.
fn parsed<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, ToolError> {
    serde_json::from_value(serde_json::Value::Object(arguments))
        .map_err(|error| ToolError::new(format!("the arguments of the tool are invalid: {error}")))
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("hearsay", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.instructions.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ToolName::all(&self.identity).iter().map(|tool| tool.definition()).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        ToolName::find(&self.identity, name).map(ToolName::definition)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = ToolName::find(&self.identity, &request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        let response = self.call(tool, request, &context).await;
        Ok(response.unwrap_or_else(|error| CallToolResult::error(vec![ContentBlock::text(error.to_string())]).into()))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = ResourceName::all(&self.identity).iter().map(|resource| resource.definition()).collect();
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let resource = self.find_resource(&request.uri)?;
        let text = self.blocking(move |server| resource.text(&server.memory, &server.identity)).await;
        let text = text.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let contents = ResourceContents::text(text, resource.uri()).with_mime_type("text/plain");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let resource = self.find_resource(&request.uri)?;
        let text = self.blocking(move |server| resource.text(&server.memory, &server.identity)).await;
        let text = text.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        self.subscriptions.insert(resource, text);
        self.subscriptions.watch(&self.memory, &self.identity, &context.peer);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let resource = self.find_resource(&request.uri)?;
        self.subscriptions.remove(resource);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = PromptName::all(&self.identity).iter().map(|prompt| prompt.definition()).collect();
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let Some(prompt) = PromptName::find(&self.identity, &request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no prompt `{}`", request.name), None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let text = self.blocking(move |server| prompt.text(&server.memory, &server.identity, &arguments)).await;
        let text = text.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }
}
