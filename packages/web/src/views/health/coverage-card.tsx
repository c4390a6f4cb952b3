// When the cluster was watched: a strip with hatched gaps, and the same as a table with why and what it means.
import type { GapsDocument } from '@podtrail/history/wire';
import type { Asked } from '../../api/use-question.ts';
import { AskedContent } from '../../parts/asked-content.tsx';
import { Choice } from '../../parts/choice.tsx';
import { counted } from '../../parts/counted.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { durationText, type TimeSpan } from '../../times/span.ts';
import { type GapRow, gapRows, lagOf, shareText, stripParts, watchedShare } from './coverage-parts.ts';

const SPANS: Readonly<Record<string, string>> = { '24h': '24 hours', '7d': '7 days', '30d': '30 days' };

/** `chosen`: how long it is, where it ends now. */
export function spanWords(chosen: string | undefined): string {
  return chosen !== undefined && Object.hasOwn(SPANS, chosen) ? `the last ${SPANS[chosen]}` : 'this time';
}

export function CoverageCard({
  asked,
  span,
  chosen,
  answered,
  now,
  isNow,
}: {
  readonly asked: Asked<GapsDocument>;
  readonly span: TimeSpan;
  /** Undefined: it ends before now. */
  readonly chosen: string | undefined;
  /** When the answer came: the recorder is not late because nobody has asked since. */
  readonly answered: number;
  readonly now: number;
  readonly isNow: boolean;
}) {
  return (
    <section class="card" aria-labelledby="coverage">
      <div class="row health-head">
        <h2 id="coverage">Coverage</h2>
        <Choice name="since" label="Time" options={SPANS} value={chosen} otherwise="24h" also={{ until: undefined }} />
      </div>
      <AskedContent asked={asked} lines={4}>
        {({ coverage, more }) => {
          if (coverage.from === null)
            return <Empty title="Nothing is recorded yet">Start a recorder: podtrail record, or the operator.</Empty>;
          const rows = gapRows(coverage, span);
          const share = shareText(watchedShare(rows, span));
          return (
            <>
              {isNow && <LagLine to={coverage.to} answered={answered} now={now} />}
              <Strip rows={rows} span={span} share={share} />
              <p>
                Watched {share} of {spanWords(chosen)}
                {rows.length === 0 ? ', without a gap.' : `, with ${counted(rows.length, 'gap')}.`} The first record is
                of <Time at={coverage.from} />.
              </p>
              {rows.length > 0 && <GapTable rows={rows} />}
              {more && <p class="muted">There are more gaps than these: choose a shorter time.</p>}
            </>
          );
        }}
      </AskedContent>
    </section>
  );
}

const LAG_WORDS = {
  ...{ watching: '● watching', late: '◐ late', silent: '○ nobody watches', ahead: '? clocks differ' },
  old: '? no answer',
};
const LAG_TONES = { watching: 'free', late: 'ambiguous', silent: 'failed', ahead: 'ambiguous', old: 'unknown' };

function LagLine({
  to,
  answered,
  now,
}: {
  readonly to: string | null;
  readonly answered: number;
  readonly now: number;
}) {
  const lag = lagOf(to, answered, now);
  if (lag === undefined || to === null) return null;
  return (
    <p>
      <span class={`badge ${LAG_TONES[lag.state]}`}>{LAG_WORDS[lag.state]}</span> Recorded up to <Time at={to} />,{' '}
      {lag.state === 'ahead' ? `${durationText(lag.ms)} ahead of the server` : `${durationText(lag.ms)} ago`}.{' '}
      {lag.text}
    </p>
  );
}

function Strip({
  rows,
  span,
  share,
}: {
  readonly rows: readonly GapRow[];
  readonly span: TimeSpan;
  readonly share: string;
}) {
  const label = `Watched ${share} of the time; the table below has each gap`;
  return (
    <div class="strip">
      <svg viewBox="0 0 1000 36" preserveAspectRatio="none" role="img" aria-label={label}>
        <defs>
          <pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="8" height="8" class="strip-gap" />
            <rect width="3" height="8" class="strip-hatch" />
          </pattern>
        </defs>
        <rect width="1000" height="36" class="strip-watched" />
        {stripParts(rows, span).map(({ x, width, row }) => (
          <rect
            key={`${row.from} ${row.reason}`}
            x={1000 * x}
            width={1000 * width}
            height="36"
            fill="url(#hatch)"
            class={row.reason === 'pods-only' ? 'strip-partly' : undefined}
          >
            <title>{row.why}</title>
          </rect>
        ))}
      </svg>
      <div class="strip-ends small muted">
        <Time at={span.from} />
        <Time at={span.to} />
      </div>
    </div>
  );
}

const COLUMNS = [
  { name: 'From' },
  { name: 'Until' },
  { name: 'How long', isNumber: true },
  { name: 'Why' },
  { name: 'What that means' },
];

function GapTable({ rows }: { readonly rows: readonly GapRow[] }) {
  return (
    <DataTable
      label="Gaps, newest first"
      columns={COLUMNS}
      rows={rows.toReversed().map((row) => ({
        key: `${row.from} ${row.reason}`,
        cells: [
          <>
            {row.beganBefore && 'before '}
            <Time at={row.from} />
          </>,
          row.goesOn ? 'it goes on' : <Time at={row.to} />,
          durationText(row.to - row.from),
          `${row.why}.`,
          row.means,
        ],
      }))}
    />
  );
}
