//! Which crate may depend on which.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::repository::{Verdict, root, verdict};

/// The adapters; none knows another.
const ADAPTERS: [&str; 8] = [
    "postgres",
    "memory",
    "aws",
    "http",
    "script",
    "host",
    "workspace",
    "compiler",
];

/// Names of dependencies, by package.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// The workspace's packages and what their manifests ask for.
pub(crate) struct Workspace {
    /// Dependencies that ship, those of build scripts included.
    pub(super) normal: Edges,
    /// The packages below `functions/` that are programs.
    deployed: BTreeSet<String>,
}

impl Workspace {
    /// Asks Cargo for the manifests; resolves nothing, so it works offline.
    pub(crate) fn read() -> Result<Self, String> {
        let mut command = MetadataCommand::new();
        command.manifest_path(root().join("Cargo.toml")).no_deps();
        let metadata = command
            .exec()
            .map_err(|error| format!("cargo metadata: {error}"))?;
        let mut workspace = Self {
            normal: Edges::new(),
            deployed: BTreeSet::new(),
        };
        for package in metadata.packages {
            let name = package.name.to_string();
            let ships = package
                .dependencies
                .iter()
                .filter(|on| on.kind != DependencyKind::Development);
            workspace
                .normal
                .insert(name.clone(), ships.map(|on| on.name.clone()).collect());
            let folder = package
                .manifest_path
                .parent()
                .and_then(|folder| folder.parent());
            let is_program = package.targets.iter().any(cargo_metadata::Target::is_bin);
            if is_program && folder.is_some_and(|folder| folder.ends_with("functions")) {
                workspace.deployed.insert(name);
            }
        }
        Ok(workspace)
    }

    /// The same with one more dependency; for mutants.
    pub(crate) fn with(mut self, package: &str, on: &str) -> Self {
        self.normal
            .entry(package.to_owned())
            .or_default()
            .insert(on.to_owned());
        self
    }

    /// What a package's manifest asks for.
    fn direct(&self, package: &str) -> Vec<&str> {
        self.normal
            .get(package)
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect()
    }

    /// The workspace's own packages that a package's manifest asks for.
    fn direct_members(&self, package: &str) -> Vec<&str> {
        self.direct(package)
            .into_iter()
            .filter(|name| self.normal.contains_key(*name))
            .collect()
    }

    /// The workspace's own packages that a package carries, through any number of others.
    fn carried(&self, package: &str) -> BTreeSet<&str> {
        let mut carried = BTreeSet::new();
        let mut open = self.direct_members(package);
        while let Some(name) = open.pop() {
            if carried.insert(name) {
                open.extend(self.direct_members(name));
            }
        }
        carried
    }
}

/// A pure core can be tested and simulated as data.
pub(crate) fn domain_depends_on_data_crates_only(workspace: &Workspace) -> Verdict {
    const DATA: [&str; 7] = [
        "croner",
        "jiff",
        "serde",
        "serde_json",
        "sha2",
        "thiserror",
        "uuid",
    ];
    let mut findings = workspace.direct("openeve-domain");
    findings.retain(|name| !DATA.contains(name));
    let findings: Vec<String> = findings.into_iter().map(str::to_owned).collect();
    verdict(
        "openeve-domain has no async, clock, randomness, environment or I/O: it depends on data crates \
         only. If this one is a data crate, add it to the list and say why in the commit.",
        &findings,
    )
}

/// Protocols are data in and data out, so that recorded bodies test them.
pub(crate) fn integrations_do_no_io(workspace: &Workspace) -> Verdict {
    const IO: [&str; 9] = [
        "async-trait",
        "axum",
        "futures-util",
        "hyper",
        "libc",
        "reqwest",
        "rustix",
        "tokio",
        "tokio-postgres",
    ];
    let mut findings = Vec::new();
    for name in workspace.direct("openeve-integrations") {
        if IO.contains(&name) || name.starts_with("aws-") {
            findings.push(name.to_owned());
        }
    }
    verdict(
        "openeve-integrations verifies, parses and renders; openeve-http opens sockets.",
        &findings,
    )
}

/// The arrows of the architecture's picture.
pub(crate) fn crates_depend_in_the_direction_of_the_architecture(workspace: &Workspace) -> Verdict {
    let mut allowed: BTreeMap<String, Vec<&str>> = BTreeMap::from([
        ("openeve-domain".to_owned(), vec![]),
        ("openeve-integrations".to_owned(), vec!["openeve-domain"]),
        (
            "openeve-runtime".to_owned(),
            vec!["openeve-domain", "openeve-integrations"],
        ),
    ]);
    for adapter in ADAPTERS {
        let below = vec!["openeve-domain", "openeve-integrations", "openeve-runtime"];
        allowed.insert(format!("openeve-{adapter}"), below);
    }
    let mut findings = Vec::new();
    for (package, below) in &allowed {
        for name in workspace.direct_members(package) {
            if !below.contains(&name) {
                findings.push(format!("{package} → {name}"));
            }
        }
    }
    verdict(
        "Dependencies point down: functions and cli → adapters → runtime → integrations → domain, and \
         no adapter knows another; what two of them share is a port in the runtime.",
        &findings,
    )
}

/// What is deployed is small and cannot compile an agent.
pub(crate) fn nothing_deployed_carries_the_compiler_the_command_or_the_testkit(
    workspace: &Workspace,
) -> Verdict {
    let mut findings = Vec::new();
    for function in &workspace.deployed {
        for name in [
            "openeve-compiler",
            "openeve-cli",
            "openeve-cluster",
            "openeve-testkit",
        ] {
            if workspace.carried(function).contains(name) {
                findings.push(format!("{function} carries {name}"));
            }
        }
    }
    if workspace.deployed.len() != 5 {
        findings.push(format!("{} functions, not five", workspace.deployed.len()));
    }
    verdict(
        "The functions are generic and the agent is data; nothing deployed compiles.",
        &findings,
    )
}

/// A cold start of the function that answers people must stay short.
pub(crate) fn ingress_and_tick_link_no_javascript_engine(workspace: &Workspace) -> Verdict {
    let mut findings = Vec::new();
    for function in &workspace.deployed {
        let lean = function.ends_with("ingress") || function.ends_with("tick");
        if lean && workspace.carried(function).contains("openeve-script") {
            findings.push(format!("{function} carries openeve-script"));
        }
    }
    verdict(
        "Ingress and tick run no authored code, so they link no engine for it.",
        &findings,
    )
}
