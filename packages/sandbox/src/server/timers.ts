// Waiting, as a parameter: real time by default, whatever a test wants otherwise. Both return what ends it.

export interface Timers {
  after(millis: number, run: () => void): () => void;
  every(millis: number, run: () => void): () => void;
}

export const systemTimers: Timers = {
  after(millis, run) {
    const timer = setTimeout(run, millis);
    timer.unref();
    return () => clearTimeout(timer);
  },
  every(millis, run) {
    const timer = setInterval(run, millis);
    timer.unref();
    return () => clearInterval(timer);
  },
};
