//! The publishers: each plans what its target's own tool is to do.

mod docker;
mod fly;
pub(super) mod lambda;
mod local;
mod railway;

use super::Target;
use super::plan::{Plan, Work};
use super::record;
use super::subject::Subject;
use super::variables;

/// The plan for the subject's target. Looks at tools and variables, and changes nothing.
pub(super) fn plan(subject: &Subject) -> Plan {
    let mut plan = Plan::new(subject.artifact.join(record::NAME));
    plan.step("write the artifact .openeve", Work::Build);
    configuration(subject, &mut plan);
    match subject.target {
        Target::Local => local::plan(subject, &mut plan),
        Target::Lambda => lambda::plan(subject, &mut plan),
        Target::Docker => docker::plan(subject, &mut plan),
        Target::Fly => fly::plan(subject, &mut plan),
        Target::Railway => railway::plan(subject, &mut plan),
    }
    plan
}

/// What is wrong with the environment. A host that is somewhere else may know variables that are not
/// set here; the database must be known, for its migrations [S.11a].
fn configuration(subject: &Subject, plan: &mut Plan) {
    let configuration = &subject.configuration;
    let all = configuration.all_problems(&subject.manifest);
    let is_here = matches!(subject.target, Target::Local | Target::Docker);
    let (mut wrong, mut unset) = (Vec::new(), Vec::new());
    for problem in all {
        let is_unset = problem.problem.starts_with("it is not set");
        if is_here || !is_unset || problem.name == "DATABASE_URL" {
            wrong.push(problem);
        } else {
            unset.push(problem.name);
        }
    }
    for problem in wrong {
        plan.need(problem.name, problem.problem);
    }
    if !unset.is_empty() && subject.target != Target::Lambda {
        let note = format!(
            "not set here, so they must be set there already: {}",
            unset.join(", ")
        );
        plan.notes.push(note);
    }
    if is_here {
        plan.notes.extend(configuration.notes(&subject.manifest));
    }
}

/// The variables that a host is given; their names are noted in the plan.
fn handed_over(
    subject: &Subject,
    plan: &mut Plan,
) -> Vec<(String, openeve_domain::secret::Secret)> {
    let given = variables::handed_over(subject);
    plan.variables = variables::names(&given);
    given
}
