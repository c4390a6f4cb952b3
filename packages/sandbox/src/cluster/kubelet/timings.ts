// How long the steps of a kubelet take, in milliseconds: [least, most]. The figures are those of an idle node with its
// images mostly at hand.

export type Span = readonly [least: number, most: number];

export interface KubeletTimings {
  /** From the binding to the first report. */
  readonly notice: Span;
  readonly sandbox: Span;
  readonly containerStart: Span;
  /** A pull that takes so long that the kubelet reports the address before the containers run. */
  readonly slowPull: Span;
  readonly slowPullChance: number;
  readonly readiness: Span;
  /** From the signal to the exit of a well-behaved container. */
  readonly stop: Span;
  /** Share of containers that do not listen and are killed when their grace is over. */
  readonly stubborn: number;
  readonly teardown: Span;
  readonly report: Span;
  /** How long a container runs that is made to end, where its pod does not say. */
  readonly run: Span;
  readonly boot: Span;
}

export const USUAL_TIMINGS: KubeletTimings = {
  notice: [20, 200],
  sandbox: [200, 900],
  containerStart: [150, 900],
  slowPull: [1500, 9000],
  slowPullChance: 0.1,
  readiness: [800, 6000],
  stop: [150, 3500],
  stubborn: 0.03,
  teardown: [40, 350],
  report: [20, 250],
  run: [4000, 45_000],
  boot: [1000, 6000],
};
