/** `agent.ts`: of the folder, and of a subagent in `subagents/<name>/`. */

import type { Context } from "./context.js";
import type { Adapter } from "./gateway.js";

/** How hard the model thinks. A level that a model lacks means its nearest lower one. */
export type Reasoning = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** The agent's own skills, which it may write. */
export interface SelfImprovement {
  /** Whether it may write and delete skills below `/skills`. Default: `true`. */
  readonly writable?: boolean;
  /** Whether a person must approve each such write. Default: `false`. */
  readonly writeApproval?: boolean;
}

/** Schedules that the agent makes while it runs. */
export interface DynamicSchedules {
  /** Whether it may make any. Default: `false`. */
  readonly dynamic?: boolean;
  /** Whether a person must approve each. Default: `false`. */
  readonly approval?: boolean;
}

/** Connections that the agent adds while it runs. */
export interface DynamicConnections {
  /** Whether it may add any. Default: `false`. */
  readonly dynamic?: boolean;
  /** Whether a person must approve each. Default: `true`. */
  readonly approval?: boolean;
  /** Hosts that they may lead to, such as `mcp.example.com`. Default: none. */
  readonly allowedHosts?: readonly string[];
}

/** What `agent.ts` says. */
export interface Agent {
  /**
   * Stable identity that scopes durable state across deploys: a letter, then up to 63 letters,
   * digits, `_` or `-`. Default: the folder's name.
   */
  readonly id?: string;
  /** `provider/model`, such as `openai/gpt-5.4-mini`. */
  readonly model: `${string}/${string}`;
  /** How hard the model thinks. Default: `medium`. */
  readonly reasoning?: Reasoning;
  /** What the agent is for, for people and catalogues. */
  readonly description?: string;
  /** Names of files in `tools/` that the model sees from the start. Default: none. */
  readonly defaultTools?: readonly string[];
  /** The agent's own skills, which it may write. Accepted; without effect in this version. */
  readonly selfImprovement?: SelfImprovement;
  /** Schedules that the agent makes while it runs. Accepted; without effect in this version. */
  readonly dynamicSchedules?: DynamicSchedules;
  /** Connections that the agent adds while it runs. Accepted; without effect in this version. */
  readonly dynamicConnections?: DynamicConnections;
  /**
   * What a turn's request is made of: what `context.ts` exports, or `defaultContext()`. Accepted;
   * without effect in this version.
   */
  readonly context?: Context;
  /** Only a subagent says which engine it is delegated to: an agent does not choose its own. */
  readonly harness?: never;
}

/** What `subagents/<name>/agent.ts` says. The folder's name is the subagent's name. */
export interface Subagent {
  /** What it is for: what the model reads to decide whether to delegate. */
  readonly description: string;
  /** `provider/model`. Default: the agent's. */
  readonly model?: `${string}/${string}`;
  /** How hard the model thinks. Default: `medium`. */
  readonly reasoning?: Reasoning;
  /** Names of files in its own `tools/` that the model sees from the start. Default: none. */
  readonly defaultTools?: readonly string[];
  /** What a turn's request is made of. Default: `defaultContext()`. */
  readonly context?: Context;
  /** The engine it is delegated to. Default: `adapter("pi")`, the same as the agent's. */
  readonly harness?: Adapter<"pi" | "codex" | "claude-code" | "livekit">;
}

/** Defines the agent, or a subagent. The default export of `agent.ts`. */
export declare function defineAgent(agent: Agent | Subagent): Agent | Subagent;
