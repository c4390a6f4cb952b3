// How long the steps of a kubelet take, in milliseconds: [least, most]. The figures are those of an idle node with its
// images mostly at hand; what concerns the network was measured on real nodes (e2e/proof/README.md).

export type Span = readonly [least: number, most: number];

export interface KubeletTimings {
  /** From the binding to the first report. */
  readonly notice: Span;
  readonly sandbox: Span;
  readonly containerStart: Span;
  /** From the start of the last container to the report: since 1.36 soon, before with the next look at the runtime. */
  readonly startReport: Span;
  readonly startReportOfOld: Span;
  /** A pull that takes long. Nothing is reported meanwhile, the address neither. */
  readonly slowPull: Span;
  readonly slowPullChance: number;
  readonly readiness: Span;
  /** From the signal to the exit of a well-behaved container. */
  readonly stop: Span;
  /** Share of containers that do not listen and are killed when their grace is over. */
  readonly stubborn: number;
  /** Of those that listen: share that exits with 0. */
  readonly obedient: number;
  readonly teardown: Span;
  /** From the end of the last container to the end of the sandbox, where nobody asked for it. */
  readonly linger: Span;
  /** What a forced deletion takes besides the containers' stop: the deletion is noticed, the sandbox is taken down. */
  readonly forcedStop: Span;
  /** A sandbox that died: until that is reported, from there until its address is free, from there until the next. */
  readonly lossNotice: Span;
  readonly lossTeardown: Span;
  readonly resetUp: Span;
  readonly report: Span;
  /** How long a container runs that is made to end, where its pod does not say. */
  readonly run: Span;
  readonly boot: Span;
}

export const USUAL_TIMINGS: KubeletTimings = {
  notice: [20, 200],
  sandbox: [200, 900],
  containerStart: [150, 900],
  startReport: [20, 140],
  startReportOfOld: [300, 1000],
  slowPull: [1500, 8000],
  slowPullChance: 0.1,
  readiness: [800, 6000],
  stop: [150, 3500],
  stubborn: 0.03,
  obedient: 0.8,
  teardown: [40, 350],
  linger: [500, 1100],
  forcedStop: [150, 1500],
  lossNotice: [50, 800],
  lossTeardown: [20, 300],
  resetUp: [10, 100],
  report: [20, 250],
  run: [4000, 45_000],
  boot: [1000, 6000],
};
