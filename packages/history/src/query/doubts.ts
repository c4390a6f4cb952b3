// Says of each candidate of an ambiguous answer why it is only a candidate. Reads what the candidates themselves do not
// tell: whether a pod outlived its sandbox, and whether it ever showed an address. Called after `who` by
// whoever shows an answer to people; never changes what it says.
import type { Snapshot } from '../engines/snapshot.ts';
import type { Placement } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import type { Answer, AnsweredHolder } from './answer.ts';
import { unlessDamaged } from './damage.ts';
import { dependsOnPlacement, whyInDoubt } from './why-in-doubt.ts';

/** Of more nobody reads the reasons; theirs come from their bounds alone. */
const MOST_READ = 50;

export async function withDoubts(
  snapshot: Pick<Snapshot, 'placementsOf' | 'possibleTenures'>,
  answer: Answer,
): Promise<Answer> {
  if (answer.answer !== 'ambiguous') return answer;
  const { at, holders } = answer;
  const unshown = await snapshot.possibleTenures({ from: at, to: epochMillis(at + 1) });
  const isUnshown = ({ uid, start }: AnsweredHolder) =>
    unshown.some(({ pod, start: s }) => pod.uid === uid && s.resourceVersion === start.resourceVersion);
  const explain = async (holder: AnsweredHolder, index: number): Promise<AnsweredHolder> => {
    const neverShown = isUnshown(holder);
    const isRead = index < MOST_READ && holder.kind === 'Pod' && dependsOnPlacement(holder, at, { neverShown });
    const placement = isRead ? await placementOf(snapshot, holder) : undefined;
    return { ...holder, why: whyInDoubt(holder, at, { placement, neverShown }) };
  };
  const [first, ...others] = holders;
  const rest: AnsweredHolder[] = [];
  const explained = await explain(first, 0);
  for (const [index, holder] of others.entries()) rest.push(await explain(holder, index + 1));
  return { ...answer, holders: [explained, ...rest] };
}

async function placementOf(
  snapshot: Pick<Snapshot, 'placementsOf'>,
  { uid, start, end }: AnsweredHolder,
): Promise<Placement | undefined> {
  const span = { from: start.notBefore, to: epochMillis((end?.observedAt ?? start.observedAt) + 1) };
  // An answer stands without its explanation.
  const found = await unlessDamaged(() => snapshot.placementsOf({ by: 'uid', uid }, span, { limit: 1 }));
  return found?.items[0];
}
