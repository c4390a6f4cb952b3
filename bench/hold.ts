// Not a measurement: a filled control plane that stays up until Ctrl+C, so that other runs need not fill one each.
import { type Benchmark, wholeNumber } from './benchmark.ts';

export const hold: Benchmark = {
  name: 'hold',
  summary: 'fills a control plane and keeps it until Ctrl+C, for other runs with --control-plane',
  options: { pods: { placeholder: 'N', help: 'pods in the cluster', fallback: '50000' } },
  async run(values, session) {
    const cluster = await session.filledCluster(wholeNumber(values, 'pods', 1));
    session.log(`\n  npm run bench -- sync watch --pods ${cluster.pods} --control-plane ${cluster.kubeconfig}\n`);
    session.log('Ctrl+C ends it and removes everything.');
    await new Promise<void>((resolve) => {
      const keepAlive = setInterval(() => {}, 60_000);
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.once(signal, () => {
          clearInterval(keepAlive);
          resolve();
        });
      }
    });
    return { report: {}, table: '', bars: [] };
  },
};
