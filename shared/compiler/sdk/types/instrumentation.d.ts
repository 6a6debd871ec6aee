/** `instrumentation.ts`: where traces go. This version bundles it and does not run it yet. */

/** One piece of a trace, in the words of OpenTelemetry. */
export interface TelemetrySpan {
  /** Such as `ai.openeve.turn` or `ai.toolCall`. */
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Begin and end, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: { readonly [name: string]: string | number | boolean };
  readonly error?: string;
}

/** Takes pieces of traces. */
export interface TelemetrySink {
  /** Takes finished spans. What it throws is logged and fails no run. */
  export(spans: readonly TelemetrySpan[]): void | Promise<void>;
  /** Sends what is still held back. */
  flush?(): Promise<void>;
}

/** What `setup` is given. */
export interface InstrumentationSetup {
  readonly agentName: string;
  /** The compiled manifest. */
  readonly manifest: { readonly [key: string]: unknown };
  /** The variables that the folder names. */
  readonly env: { readonly [name: string]: string | undefined };
}

/** Where traces go and what they hold. Bodies are left out unless they are asked for. */
export interface Instrumentation {
  /** Runs once, before the first turn. What it returns is used as the sink. */
  setup?(input: InstrumentationSetup): TelemetrySink | void | Promise<TelemetrySink | void>;
  /** Whether inputs of models and tools are recorded. Default: `false`. */
  readonly recordInputs?: boolean;
  /** Whether their outputs are recorded. Default: `false`. */
  readonly recordOutputs?: boolean;
  /** How much of a message is recorded: nothing, a bounded preview, or all. Default: `none`. */
  readonly captureContent?: "none" | "preview" | "full";
  /** A name for the agent's traces. Default: the agent's id. */
  readonly functionId?: string;
}

/** Defines where traces go. The default export of `instrumentation.ts`. */
export declare function defineInstrumentation(instrumentation: Instrumentation): Instrumentation;
