// node:perf_hooks: the clock and marks; nothing observes.
import { absent } from "node:internal/errors";

const now = () => globalThis.performance.now();
class PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) {
    Object.assign(this, { name, entryType, startTime, duration, detail: detail ?? null });
  }
  toJSON() {
    return { ...this };
  }
}
class PerformanceMark extends PerformanceEntry {
  constructor(name, options = {}) {
    super(name, "mark", options?.startTime ?? now(), 0, options?.detail);
  }
}
class PerformanceMeasure extends PerformanceEntry {}
let entries = [];
const placeOf = (mark, fallback) => {
  if (mark === undefined) return fallback;
  if (typeof mark === "number") return mark;
  const found = entries.findLast((entry) => entry.name === mark && entry.entryType === "mark");
  if (found === undefined) throw new DOMException(`The "${mark}" performance mark has not been set`, "SyntaxError");
  return found.startTime;
};
const clear = (kind) => (name) => {
  entries = entries.filter((entry) => entry.entryType !== kind || (name !== undefined && entry.name !== name));
};
class Performance {}
const performance = Object.assign(Object.create(Performance.prototype), {
  now, timeOrigin: globalThis.performance?.timeOrigin ?? 0,
  mark(name, options) {
    const made = new PerformanceMark(String(name), options);
    entries.push(made);
    return made;
  },
  measure(name, from, to) {
    const options = typeof from === "object" && from !== null ? from : { start: from, end: to };
    const start = placeOf(options.start, 0);
    const end = options.duration === undefined ? placeOf(options.end, now()) : start + options.duration;
    const made = new PerformanceMeasure(name, "measure", start, end - start, options.detail);
    entries.push(made);
    return made;
  },
  clearMarks: clear("mark"), clearMeasures: clear("measure"), clearResourceTimings() {}, setResourceTimingBufferSize() {}, markResourceTiming() {},
  getEntries: () => [...entries],
  getEntriesByName: (name, kind) => entries.filter((entry) => entry.name === name && (kind === undefined || entry.entryType === kind)),
  getEntriesByType: (kind) => entries.filter((entry) => entry.entryType === kind),
  timerify: (fn) => fn,
  eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
  toJSON: () => ({ timeOrigin: performance.timeOrigin }),
  addEventListener() {}, removeEventListener() {}, dispatchEvent: () => true,
});
class PerformanceObserver {
  static supportedEntryTypes = [];
  observe() {}
  disconnect() {}
  takeRecords() {
    return [];
  }
}
class PerformanceObserverEntryList {}
class PerformanceResourceTiming extends PerformanceEntry {}
const monitorEventLoopDelay = absent("perf_hooks.monitorEventLoopDelay");
const createHistogram = absent("perf_hooks.createHistogram");
const constants = { NODE_PERFORMANCE_GC_MAJOR: 4, NODE_PERFORMANCE_GC_MINOR: 1, NODE_PERFORMANCE_GC_INCREMENTAL: 8, NODE_PERFORMANCE_GC_WEAKCB: 16 };

export {
  constants, createHistogram, monitorEventLoopDelay, Performance, performance, PerformanceEntry, PerformanceMark,
  PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList, PerformanceResourceTiming,
};
export default {
  Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, PerformanceObserverEntryList,
  PerformanceResourceTiming, monitorEventLoopDelay, createHistogram, performance, constants,
};
