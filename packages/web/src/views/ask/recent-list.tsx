// The last questions, and for who has none what to paste.
import { Link } from '../../address/link.tsx';
import { Time } from '../../parts/time.tsx';
import { useSignals } from '../../parts/use-signals.ts';
import { forgetAll, recent } from './recent-questions.ts';

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['a flow log', '2 123456789010 eni-1235b8ca 10.0.1.7 10.0.0.5 49152 443 6 20 4249 1794737100 1794737160 ACCEPT OK'],
  ['a web server', '10.244.1.9 - - [15/Nov/2026:10:05:00 +0000] "GET /cart HTTP/1.1" 502 157'],
  ['anything with an address and a time', '2026-11-15T10:05:00Z dial tcp 10.244.3.7:8080: connection refused'],
];

export function RecentQuestions() {
  useSignals(recent);
  const questions = recent.value;
  if (questions.length === 0) {
    return (
      <section class="muted" aria-label="Examples">
        <p>Paste a line such as these. Nothing of it is sent but the address and the time.</p>
        <ul class="examples">
          {EXAMPLES.map(([what, line]) => (
            <li key={what}>
              {what}: <code>{line}</code>
            </li>
          ))}
        </ul>
      </section>
    );
  }
  return (
    <section aria-labelledby="recent">
      <div class="row">
        <h2 id="recent">Your last questions</h2>
        <button type="button" onClick={forgetAll}>
          Forget them
        </button>
      </div>
      <ul class="matches">
        {questions.map((question) => {
          const { ip, at, q } = question;
          return (
            <li key={JSON.stringify(question)}>
              <Link view="ask" parameters={question} class="name">
                {ip ?? q}
              </Link>{' '}
              {ip !== undefined && (
                <span class="muted">at {at === undefined ? 'the time of asking' : <Time at={at} />}</span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
