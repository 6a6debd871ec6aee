#!/usr/bin/env bash
# Lints infra/template.yaml with cfn-lint and SAM CLI; any finding fails it.
#
# The template is linted twice: as it is written, and as the CloudFormation that SAM makes of it.
# cfn-lint does not look inside AWS::Serverless::Function, so only the second pass sees a wrong
# value of RecursiveLoop or a queue that is visible again before its function has timed out.
#
# The tools come from `bash tests/tools.sh lint sam`. Nothing here speaks to AWS: the credentials
# are placeholders that keep the tools from looking for real ones.
set -euo pipefail

repo="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
tools="${OPENEVE_TOOLS:-$repo/target/tools}"
template="$repo/infra/template.yaml"
region="us-east-1"

export AWS_EC2_METADATA_DISABLED=true AWS_ACCESS_KEY_ID=none AWS_SECRET_ACCESS_KEY=none
export AWS_DEFAULT_REGION="$region" SAM_CLI_TELEMETRY=0

for tool in cfn-lint sam; do
  if [ ! -x "$tools/bin/$tool" ]; then
    echo "lint-template: $tool is missing; run 'bash tests/tools.sh lint sam'" >&2
    exit 1
  fi
done

expanded="$(mktemp --suffix=.json)"
trap 'rm -f "$expanded"' EXIT

# Writes what SAM makes of the template; the archives get an address, as packaging would give them.
expand() {
  "$tools/sam/bin/python" - "$template" "$expanded" <<'PYTHON'
import json, sys
from types import SimpleNamespace

from samtranslator.translator.transform import transform
from samtranslator.yaml_helper import yaml_parse

template = yaml_parse(open(sys.argv[1], encoding="utf-8").read())
for resource in template["Resources"].values():
    if resource["Type"] == "AWS::Serverless::Function":
        archive = resource["Properties"]["CodeUri"].removeprefix("./")
        resource["Properties"]["CodeUri"] = f"s3://openeve-archives/{archive}"
with open(sys.argv[2], "w", encoding="utf-8") as out:
    json.dump(transform(template, {}, SimpleNamespace(load=dict)), out, indent=1)
PYTHON
}

lint() {
  "$tools/bin/cfn-lint" --regions "$region" --non-zero-exit-code informational -- "$1"
}

failed=0
echo "lint-template: cfn-lint, as written"
lint "$template" || failed=1
echo "lint-template: cfn-lint, as expanded"
expand && lint "$expanded" || failed=1
echo "lint-template: sam validate"
"$tools/bin/sam" validate --lint --region "$region" --template-file "$template" || failed=1
exit "$failed"
