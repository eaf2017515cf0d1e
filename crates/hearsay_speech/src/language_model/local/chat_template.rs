//! The chat template of a language model: a Jinja template in the GGUF file. The template converts messages to the
//! format with which the model was trained.

use candle_core::quantized::gguf_file;
use minijinja::{Environment, Error, ErrorKind, Value, context};
use minijinja_contrib::pycompat::unknown_method_callback;

use super::{super::ChatRole, ChatPrompt, tokenizer::ModelTokenizer};

const NAME: &str = "chat";

/// Text that stands between the two parts of the system message while the template is rendered. Templates copy the
/// system message as it is, except for spaces at its start and end.
const CUT: char = '\u{E000}';

pub(super) struct ChatTemplate {
    environment: Environment<'static>,
    bos: String,
    eos: String,
}

struct TemplateMessage {
    role: &'static str,
    content: String,
}

impl ChatTemplate {
    /// Reads the template of a model.
    pub(super) fn load(content: &gguf_file::Content, tokenizer: &ModelTokenizer) -> Result<Self, String> {
        let template = super::text(content, "tokenizer.chat_template").ok_or("it has no chat template")?;
        let mut environment = Environment::new();
        environment.set_unknown_method_callback(unknown_method_callback);
        environment.add_function("raise_exception", |message: String| -> Result<(), Error> {
            Err(Error::new(ErrorKind::InvalidOperation, message))
        });
        environment
            .add_template_owned(NAME, template)
            .map_err(|error| format!("its chat template cannot be read ({error})"))?;
        Ok(Self { environment, bos: tokenizer.bos.clone(), eos: tokenizer.eos.clone() })
    }

    /// Returns the prompt in the format of the model, in two parts. The first part ends where the stable part of the
    /// system message ends.
    pub(super) fn render(&self, prompt: &ChatPrompt, tokenizer: &ModelTokenizer) -> Result<[String; 2], String> {
        let clean = |text: &str| tokenizer.without_special_tokens(&text.replace(CUT, " "));
        let (stable, rest) = prompt.system.split_at_checked(prompt.stable_bytes).unwrap_or(("", &prompt.system));
        let system = format!("{}{CUT}{}", clean(stable), clean(rest));
        let mut messages = vec![TemplateMessage { role: "system", content: system.clone() }];
        for message in &prompt.messages {
            let role = match message.role {
                ChatRole::User => "user",
                ChatRole::Assistant => "assistant",
            };
            messages.push(TemplateMessage { role, content: clean(&message.text) });
        }
        let rendered = self.render_messages(&messages).or_else(|_| {
            // Some templates have no system message. The first message of the user then begins with it.
            messages.remove(0);
            if let Some(first) = messages.first_mut() {
                first.content = format!("{system}\n\n{}", first.content);
            }
            self.render_messages(&messages)
        });
        let rendered = rendered.map_err(|error| format!("its chat template failed ({error})"))?;
        Ok(match rendered.split_once(CUT) {
            Some((stable, rest)) => [stable.to_owned(), rest.to_owned()],
            None => [String::new(), rendered],
        })
    }

    fn render_messages(&self, messages: &[TemplateMessage]) -> Result<String, Error> {
        let value = |message: &TemplateMessage| {
            Value::from_pairs([("role", message.role), ("content", message.content.as_str())])
        };
        let messages: Vec<Value> = messages.iter().map(value).collect();
        self.environment.get_template(NAME)?.render(context! {
            messages => messages,
            add_generation_prompt => true,
            enable_thinking => false,
            bos_token => self.bos.as_str(),
            eos_token => self.eos.as_str(),
        })
    }
}
