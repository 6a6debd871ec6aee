//! The plan: which messages come when, what their turns do, and which faults strike when. Pure.

use crate::chance::Chance;
use crate::options::Options;

/// The shortest and longest time that a killed Postgres is away.
const DOWN_MS: (u64, u64) = (0, 2_500);

/// Everything that is done to the deployment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// In order of time.
    pub(crate) messages: Vec<Message>,
    /// In order of time.
    pub(crate) server: Vec<ServerFault>,
    /// In order of time.
    pub(crate) kills: Vec<Kill>,
}

/// A message, and what its turn does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    /// From 0.
    pub(crate) number: u64,
    /// When it is posted first.
    pub(crate) at_ms: u64,
    /// Which conversation it belongs to.
    pub(crate) conversation: u64,
    /// The tools of its turn, batch by batch.
    pub(crate) batches: Vec<Vec<Tool>>,
    /// How long after the first moment each post begins; one, two or three.
    pub(crate) posts_ms: Vec<u64>,
}

/// A tool of the soak's agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// Unsafe.
    Charge,
    /// Unsafe, alone in its batch.
    Book,
    /// Idempotent.
    Record,
    /// Without side effects.
    Look,
}

impl Tool {
    const ALL: [Self; 4] = [Self::Charge, Self::Book, Self::Record, Self::Look];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Charge => "charge",
            Self::Book => "book",
            Self::Record => "record",
            Self::Look => "look",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Whether a second run would do harm.
    pub(crate) const fn is_unsafe(self) -> bool {
        matches!(self, Self::Charge | Self::Book)
    }
}

impl Message {
    /// What is said: the model reads its script from it.
    pub(crate) fn text(&self) -> String {
        let batch = |batch: &Vec<Tool>| {
            let names: Vec<&str> = batch.iter().map(|tool| tool.name()).collect();
            names.join(",")
        };
        let batches: Vec<String> = self.batches.iter().map(batch).collect();
        format!("soak {}: {}", self.number, batches.join("|"))
    }

    /// The number and the batches that a text names.
    pub(crate) fn read(text: &str) -> Option<(u64, Vec<Vec<Tool>>)> {
        let (number, batches) = text.strip_prefix("soak ")?.split_once(": ")?;
        let batch = |names: &str| names.split(',').map(Tool::named).collect::<Option<_>>();
        let batches = batches.split('|').map(batch).collect::<Option<_>>()?;
        Some((number.parse().ok()?, batches))
    }

    /// The answer that ends its turn.
    pub(crate) fn answer(number: u64) -> String {
        format!("done {number}")
    }

    /// The tools in the order of their ordinals.
    pub(crate) fn tools(&self) -> impl Iterator<Item = Tool> {
        self.batches.iter().flatten().copied()
    }
}

/// Something that happens to Postgres.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerFault {
    pub(crate) at_ms: u64,
    pub(crate) how: ServerEnd,
    /// How long it stays away.
    pub(crate) down_ms: u64,
}

/// How Postgres ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ServerEnd {
    /// The postmaster is killed with SIGKILL.
    Killed,
    /// An immediate shutdown: as a crash, but every process hears of it.
    Immediate,
    /// A restart in order: clients are sent away.
    Restarted,
    /// One client's backend is killed: the postmaster sends everybody away and recovers by itself.
    BackendKilled,
}

/// The end of one function's process by SIGKILL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kill {
    pub(crate) at_ms: u64,
    pub(crate) function: &'static str,
    /// Which of its processes, counted round.
    pub(crate) pick: u64,
    /// Whether one that handles an event is preferred to one that waits for the next.
    pub(crate) busy: bool,
    /// Whether all of them are killed, as by the end of their host.
    pub(crate) all: bool,
}

impl Plan {
    /// The plan of a seed.
    pub(crate) fn of(options: &Options) -> Self {
        let mut chance = Chance::new(options.seed);
        let mut messages: Vec<Message> = Vec::new();
        for number in 0..options.turns {
            let before = messages.last().map(|message| message.conversation);
            messages.push(message(number, before, options, &mut chance));
        }
        messages.sort_by_key(|message| message.at_ms);
        let mut server = Vec::new();
        let mut at_ms = options.server_every_ms / 2;
        while at_ms < options.load_ms {
            server.push(server_fault(at_ms, server.len(), &mut chance));
            at_ms += options.server_every_ms;
        }
        let mut kills = Vec::new();
        let mut at_ms = 0;
        loop {
            at_ms += chance.between(options.kill_every_ms.0, options.kill_every_ms.1);
            if at_ms >= options.load_ms {
                break;
            }
            kills.push(kill(at_ms, &mut chance));
        }
        Self {
            messages,
            server,
            kills,
        }
    }
}

fn message(number: u64, before: Option<u64>, options: &Options, chance: &mut Chance) -> Message {
    let even_ms = options.load_ms * number / options.turns;
    let spread_ms = 2 * options.load_ms / options.turns;
    // Every sixth follows the message before it closely, so that runs queue behind each other.
    let (conversation, at_ms) = match before {
        Some(before) if chance.one_in(6) => (before, even_ms),
        _ => (
            chance.between(0, options.conversations - 1),
            even_ms + chance.between(0, spread_ms),
        ),
    };
    let mut left = chance.between(2, 5);
    let mut batches = Vec::new();
    while left > 0 {
        let size = chance.between(1, left.min(3));
        left -= size;
        batches.push((0..size).map(|_| tool(chance)).collect());
    }
    let posts = chance.weighted(&[(75, 1), (18, 2), (7, 3)]);
    let posts_ms = (0..posts).map(|again: u64| match again {
        0 => 0,
        // At the same moment, a little later, or when the turn is over.
        _ => chance.weighted(&[(1, 0), (1, 300), (1, 6_000)]),
    });
    Message {
        number,
        at_ms,
        conversation,
        batches,
        posts_ms: posts_ms.collect(),
    }
}

fn tool(chance: &mut Chance) -> Tool {
    chance.weighted(&[
        (30, Tool::Charge),
        (10, Tool::Book),
        (30, Tool::Record),
        (30, Tool::Look),
    ])
}

/// The first four are one of each kind, so that even a short soak has them all.
fn server_fault(at_ms: u64, number: usize, chance: &mut Chance) -> ServerFault {
    let ends = [
        ServerEnd::Killed,
        ServerEnd::Restarted,
        ServerEnd::Immediate,
        ServerEnd::BackendKilled,
    ];
    let how = match ends.get(number) {
        Some(how) => *how,
        None => chance.weighted(&[(2, ends[0]), (1, ends[1]), (1, ends[2]), (1, ends[3])]),
    };
    ServerFault {
        at_ms,
        how,
        down_ms: chance.between(DOWN_MS.0, DOWN_MS.1),
    }
}

fn kill(at_ms: u64, chance: &mut Chance) -> Kill {
    Kill {
        at_ms,
        function: chance.weighted(&[
            (60, "step"),
            (18, "delivery"),
            (14, "ingress"),
            (5, "tick"),
            (3, "sweep"),
        ]),
        pick: chance.between(0, 1_000),
        busy: !chance.one_in(5),
        all: chance.one_in(20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smoke(seed: &str) -> Plan {
        let arguments = ["--smoke", "--seed", seed].map(str::to_owned);
        Plan::of(&Options::read(arguments.into_iter()).unwrap())
    }

    #[test]
    fn a_seed_repeats_its_plan_and_another_does_not() {
        assert_eq!(smoke("7"), smoke("7"));
        assert_ne!(smoke("7"), smoke("8"));
    }

    #[test]
    fn even_a_smoke_has_every_kind_of_fault_and_of_repetition() {
        let plan = smoke("7");
        let mut ends: Vec<ServerEnd> = plan.server.iter().map(|fault| fault.how).collect();
        ends.sort_unstable();
        ends.dedup();
        assert_eq!(ends.len(), 4);
        let posts = |count| {
            plan.messages
                .iter()
                .filter(|message| message.posts_ms.len() == count)
                .count()
        };
        assert!(posts(1) > 0 && posts(2) > 0 && posts(3) > 0);
        let steps = plan.kills.iter().filter(|kill| kill.function == "step");
        assert!(steps.count() * 2 > plan.kills.len() / 2);
    }

    #[test]
    fn the_model_reads_what_was_planned() {
        for message in smoke("7").messages {
            let read = Message::read(&message.text());
            assert_eq!(read, Some((message.number, message.batches)));
        }
        assert_eq!(Message::read("hello"), None);
    }
}
