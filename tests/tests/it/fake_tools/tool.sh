#!/bin/sh
# Stands in for a publisher's tool: records what it is told, and refuses what the real one refuses.
# Its name is the tool's. FAKE_LOG is where it records, FAKE_FAIL a command that fails.
me=${0##*/}
log=$FAKE_LOG
{ printf 'run %s' "$me"; for word in "$@"; do printf ' <%s>' "$word"; done; printf '\n'; } >>"$log"
export -p >>"$log.env"

refuse() { echo "$me: $1" >&2; exit 125; }

# check VALUED BARE MOST WORDS…: flags that take a value, flags that take none, positional words at most.
check() {
  valued=" $1 "; bare=" $2 "; most=$3; shift 3
  while [ $# -gt 0 ]; do
    case "$1" in
      -*)
        case "$valued" in *" $1 "*) [ $# -gt 1 ] || refuse "flag needs an argument: $1"; shift 2; continue ;; esac
        case "$bare" in *" $1 "*) shift; continue ;; esac
        refuse "unknown flag: $1" ;;
      *) [ "$most" -gt 0 ] || return 0; most=$((most - 1)); shift ;;
    esac
  done
}

context() {
  [ -f "$1/Dockerfile" ] || refuse "no Dockerfile in $1"
  [ -x "$1/openeve" ] || refuse "no program in $1"
  while read -r word rest; do
    [ "$word" = COPY ] || continue
    set -- "$1" $rest
    while [ $# -gt 2 ]; do [ -e "$1/$2" ] || refuse "COPY: $2 is not in the context"; here=$1; shift 2; set -- "$here" "$@"; done
  done <"$1/Dockerfile"
}

if [ -n "$FAKE_FAIL" ]; then
  case "$me $*" in "$FAKE_FAIL"*) echo "$me says: the quota is used up" >&2; exit 3 ;; esac
fi

case "$me $1 $2" in
  "docker version "*) [ -z "$FAKE_NO_DAEMON" ] || refuse "Cannot connect to the Docker daemon"; echo 28.2.2 ;;
  "docker container inspect") [ -e "$log.container.$3" ] || exit 1 ;;
  "docker build "*)
    shift; check "--platform --tag -t --file -f --build-arg --label --network --target" "--pull --quiet -q --no-cache" 9 "$@"
    for last in "$@"; do :; done; context "$last" ;;
  "docker run "*)
    shift
    check "--name --env -e --env-file --publish -p --network --restart --add-host --stop-timeout --user -u --volume -v --platform" "--rm --detach -d" 0 "$@"
    detached=; name=
    while [ $# -gt 0 ]; do
      case "$1" in
        --detach) detached=yes ;;
        --name) name=$2 ;;
        --env) eval "[ -n \"\${$2-}\" ]" || refuse "$2 is not in its environment" ;;
      esac
      shift
    done
    [ -z "$detached" ] || { [ ! -e "$log.container.$name" ] || refuse "Conflict. The container name is in use"; : >"$log.container.$name"; } ;;
  "docker stop "*) shift; check "-t --timeout --signal -s" "" 9 "$@" ;;
  "docker rm "*) shift; check "" "--force -f --volumes -v" 9 "$@"; rm "$log.container.$1" ;;
  "flyctl secrets import")
    [ -n "$FLY_API_TOKEN" ] || refuse "no access token available"
    shift 2; check "-a --app -c --config" "--stage --detach" 0 "$@"; cat >>"$log.stdin" ;;
  "flyctl deploy "*)
    [ -n "$FLY_API_TOKEN" ] || refuse "no access token available"
    shift; check "-a --app -c --config --dockerfile -i --image -e --env --strategy --wait-timeout -r --region" "-y --yes --remote-only --local-only --detach --no-cache" 1 "$@"
    context "$1"; [ -f "$1/fly.toml" ] || refuse "no fly.toml" ;;
  "railway variable set")
    [ -n "$RAILWAY_TOKEN" ] || refuse "Unauthorized"
    shift 2; check "-s --service -e --environment" "--stdin --skip-deploys --json" 1 "$@"
    { printf '%s=' "$1"; cat; printf '\n'; } >>"$log.stdin" ;;
  "railway up "*)
    [ -n "$RAILWAY_TOKEN" ] || refuse "Unauthorized"
    case " $* " in *" --project "*) case " $* " in *" --environment "*) ;; *) refuse "--environment is required when using --project" ;; esac ;; esac
    shift; check "-s --service -e --environment -p --project -m --message" "-d --detach -y --yes -c --ci --no-gitignore --path-as-root --verbose --json" 1 "$@"
    context "$1" ;;
  "railway status "*) [ -n "$FAKE_LINKED" ] || refuse "No linked project found" ;;
  "sam deploy "*)
    shift; check "--template-file -t --stack-name --capabilities --s3-bucket --s3-prefix --region --profile --config-file --config-env" "--confirm-changeset --no-confirm-changeset --no-fail-on-empty-changeset --resolve-s3 --force-upload --no-progressbar --parameter-overrides" 9 "$@" ;;
  "sam list stack-outputs") shift 2; check "--stack-name --output --region --profile" "" 0 "$@"; echo '[{"OutputKey": "MessageUrl", "OutputValue": "https://abc.lambda-url.example/"}]' ;;
  "aws cloudformation package") shift 2; check "--template-file --s3-bucket --s3-prefix --kms-key-id --output-template-file --region" "--use-json --force-upload" 0 "$@" ;;
  "aws cloudformation deploy") shift 2; check "--template-file --stack-name --s3-bucket --s3-prefix --kms-key-id --tags --region" "--capabilities --parameter-overrides --no-fail-on-empty-changeset --no-execute-changeset --force-upload" 9 "$@" ;;
  "aws cloudformation describe-stacks") shift 2; check "--stack-name --query --output --region" "" 0 "$@"; echo '[{"OutputKey": "MessageUrl", "OutputValue": "https://abc.lambda-url.example/"}]' ;;
  *) refuse "unknown command: $*" ;;
esac
