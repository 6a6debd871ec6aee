//! Which wire protocol a provider speaks, and where below its base URL.

/// A wire protocol of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Chat Completions of OpenAI, and of all who imitate it.
    OpenAiChat,
}

impl Protocol {
    /// The word that names it in configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
        }
    }

    /// What a message calls it.
    pub const fn shown(self) -> &'static str {
        match self {
            Self::OpenAiChat => "chat completions",
        }
    }
}
