//! What is done to the database before anything is published: our schema, then the folder's own
//! migrations with the command that the author names [S.12].

use anyhow::Context as _;
use openeve_domain::secret::Secret;
use openeve_postgres::{PgStore, Pool};

use super::plan::{Plan, Work};
use super::subject::{Subject, variable};
use super::tool::{self, Tool};
use crate::host;
use crate::serve::needs::Configuration;

/// Plans both, unless the author wants none of it.
pub(super) fn plan(subject: &Subject, plan: &mut Plan) {
    if subject.arguments.no_migrate {
        let note = "no database is touched from here; `serve` migrates our schema when it starts, on Lambda run `openeve migrate` first";
        plan.notes.push(note.to_owned());
        return;
    }
    plan.step(
        "bring our schema in the database of DATABASE_URL up to date",
        Work::Schema,
    );
    let files = subject.migrations();
    if files.is_empty() {
        return;
    }
    let given = subject.arguments.migration_command.clone();
    let Some(command) = given.or_else(|| variable("OPENEVE_MIGRATION_COMMAND")) else {
        let how = format!(
            "the folder has {} in migrations/; give the command that applies them with --migration-command or OPENEVE_MIGRATION_COMMAND, or give --no-migrate",
            crate::output::counted(files.len(), "file")
        );
        plan.need("OPENEVE_MIGRATION_COMMAND", how);
        return;
    };
    let Some(shell) = tool::found(&["sh"]) else {
        plan.need(
            "sh",
            "the migration command is run by a shell, and none is on PATH",
        );
        return;
    };
    let files: Vec<String> = files
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    // The command may hold a password of the author's, so no command line shows it.
    let told = [
        ("OPENEVE_MIGRATION_COMMAND", command),
        (
            "OPENEVE_ARTIFACT_ROOT",
            subject.artifact.display().to_string(),
        ),
        ("OPENEVE_AGENT_REVISION", subject.manifest.revision.clone()),
        ("OPENEVE_DEPLOY_ENV", subject.environment.clone()),
        ("OPENEVE_MIGRATION_FILES", files.join("\n")),
    ];
    let told = told.map(|(name, value)| (name.to_owned(), Secret::new(value)));
    plan.runs(
        "run the migration command",
        Tool::new(&shell, ["-c", "eval \"$OPENEVE_MIGRATION_COMMAND\""])
            .inside(&subject.folder)
            .knowing(&told),
    );
}

/// Applies our own migrations.
pub(super) async fn schema(configuration: &Configuration) -> anyhow::Result<()> {
    let values = &configuration.values;
    let url = Secret::new(values.text("DATABASE_URL"));
    let pool = Pool::new(&url, 1, host::ca(values)?.as_deref())?;
    let migrated = PgStore::new(pool).migrate().await;
    migrated.map(drop).context(
        "our schema could not be brought up to date; if only the host reaches the database, give --no-migrate",
    )
}
