// What the cluster reported that cannot be right: clocks that differ first, because they move bounds.
import type { AnomaliesDocument, AnomalyDocument } from '@podtrail/history/wire';
import type { Asked } from '../../api/use-question.ts';
import { AskedContent } from '../../parts/asked-content.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Time } from '../../parts/time.tsx';
import { NotYours } from './store-card.tsx';

const WORDS: Readonly<Record<AnomalyDocument['what'], string>> = {
  'clock-skew': 'Clocks differ',
  'node-changed': 'A pod changed its node',
  'unparsable-address': 'An address that is none',
};

const MEANS: Readonly<Record<AnomalyDocument['what'], string>> = {
  'clock-skew': 'times of this source are used with wider bounds',
  'node-changed': 'answers name the node that was reported last',
  'unparsable-address': 'it is not in any answer',
};

const COLUMNS = [{ name: 'When' }, { name: 'What' }, { name: 'Detail' }, { name: 'What that means' }];

export function AnomaliesCard({ asked, words }: { readonly asked: Asked<AnomaliesDocument>; readonly words: string }) {
  return (
    <section class="card" aria-labelledby="anomalies">
      <h2 id="anomalies">Clock differences and other anomalies</h2>
      {asked.problem?.status === 403 ? (
        <NotYours what="What cannot be right" />
      ) : (
        <AskedContent asked={asked}>
          {({ anomalies, more }) =>
            anomalies.length === 0 ? (
              <p>None in {words}.</p>
            ) : (
              <>
                <DataTable
                  label="Anomalies"
                  columns={COLUMNS}
                  rows={clocksFirst(anomalies).map(({ what, uid, detail, evidence }) => ({
                    key: `${uid} ${evidence.observedAt} ${detail}`,
                    cells: [<Time at={evidence.observedAt} />, WORDS[what] ?? what, detail, MEANS[what] ?? ''],
                  }))}
                />
                {more && <p class="muted">There are more than these: podtrail anomalies lists all.</p>}
              </>
            )
          }
        </AskedContent>
      )}
    </section>
  );
}

function clocksFirst(anomalies: readonly AnomalyDocument[]): readonly AnomalyDocument[] {
  const [clocks, others] = [true, false].map((isClock) =>
    anomalies.filter(({ what }) => (what === 'clock-skew') === isClock).toReversed(),
  );
  return [...(clocks ?? []), ...(others ?? [])];
}
