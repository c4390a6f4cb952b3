// Many questions of who sees everything, each about one address at one instant, on one snapshot: the documents of `who` as
// JSON. Runs in the thread of a store (store-thread.ts), where a read costs nothing on its way.
import type { AnswerPoints, Point } from '../engines/points.ts';
import type { Snapshot } from '../engines/snapshot.ts';
import type { Tenure } from '../model/records.ts';
import type { Answer } from '../query/answer.ts';
import { unlessDamaged } from '../query/damage.ts';
import { withDoubts } from '../query/doubts.ts';
import { readTenuresAtMany } from '../query/tenure-reads.ts';
import { ALL_VISIBLE } from '../query/visibility.ts';
import type { WatchedTime } from '../query/watched-time.ts';
import { answerFrom, completed, damagedAnswer, readWatchedTime, who } from '../query/who.ts';
import { plainHeldText } from './held-text.ts';
import { leavesOpen } from './leaves-open.ts';
import { whoDocument } from './who.ts';

export const answerPoints: AnswerPoints = async (snapshot, cluster, points) => {
  const read = await unlessDamaged(() => Promise.all([readTenuresAtMany(snapshot, points), readWatchedTime(snapshot)]));
  const texts: string[] = [];
  const open: number[] = [];
  for (const [i, point] of points.entries()) {
    // What one of them needs is damaged: each is asked alone.
    const found = read === undefined ? who(snapshot, point) : answerAt(snapshot, point, read[0][i] ?? [], read[1]);
    // Most answers are there at once; waiting for those would cost as much as they do.
    const answer = 'then' in found ? await withDoubts(snapshot, await found) : found;
    const plain = answer.answer === 'held' ? plainHeldText(answer, cluster, point.now) : undefined;
    if (plain !== undefined) {
      texts.push(plain);
      continue;
    }
    const document = whoDocument(answer, ALL_VISIBLE, cluster, point.now);
    texts.push(JSON.stringify(document));
    if (leavesOpen(document)) open.push(i);
  }
  return { texts, open };
};

/** What `who` says, from what it would have read. */
function answerAt(
  snapshot: Snapshot,
  point: Point,
  possible: readonly Tenure[],
  watched: WatchedTime,
): Answer | Promise<Answer> {
  const bare = answerFrom(snapshot, point, possible, watched);
  if (!('then' in bare) && (bare.answer === 'held' || bare.answer === 'unknown')) return bare;
  return unlessDamaged(async () => completed(snapshot, point, await bare, watched)).then(
    (answer) => answer ?? damagedAnswer(snapshot.cluster, point),
  );
}
