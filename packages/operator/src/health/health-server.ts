// /livez, /readyz and /healthz: one line for each check, with its reason when it fails; 503 then.
import { type Clock, formatHealth, type HealthChecks } from '@podtrail/machinery';
import { type Page, type PlainServer, startPlainServer, text } from '../serving/plain-server.ts';

export interface HealthServerOptions {
  readonly host: string;
  readonly port: number;
  /** Failing means: start this process again. */
  readonly live: HealthChecks;
  /** Failing means: it works on, but do not rely on it now. */
  readonly ready: HealthChecks;
  /** That of the checks. */
  readonly clock?: Pick<Clock, 'monotonic'>;
}

export async function serveHealth({ live, ready, ...server }: HealthServerOptions): Promise<PlainServer> {
  const page = (checks: HealthChecks) => async (): Promise<Page> => {
    const report = await checks.report();
    return text(report.ok ? 200 : 503, formatHealth(report));
  };
  // `/healthz` is the older name for the question that a restart answers.
  return await startPlainServer({
    ...server,
    pages: { '/livez': page(live), '/readyz': page(ready), '/healthz': page(live) },
  });
}
