// Who held an address at an instant: the question as doors ask it, and its document.
import type { Cluster, Snapshot } from '../engines/snapshot.ts';
import type { Coverage } from '../model/records.ts';
import { type EpochMillis, toText } from '../model/time.ts';
import type { Answer } from '../query/answer.ts';
import { withDoubts } from '../query/doubts.ts';
import { type WhoQuestion, who } from '../query/who.ts';
import { answeredHolderDocument, evidenceDocument, textOrNull } from './holder.ts';
import { narrowedDocument, type Visibility } from './narrowed.ts';
import type { WhoDocument } from './schemas/index.ts';
import { watchedUntil } from './watched-until.ts';
import { type Watched, watchedFromTo } from './watching.ts';

export interface WhoAsked extends Omit<WhoQuestion, 'visibility'> {
  /** Where ledgers of several replicas are asked as one. */
  readonly namesCollectors?: boolean | undefined;
}

export interface WhoFound {
  readonly answer: Answer;
  readonly document: WhoDocument;
  /** Since when and until when anybody could know; undefined where nothing was recorded, or the store is damaged. */
  readonly watched: Watched;
}

export async function askWho(
  snapshot: Snapshot,
  visibility: Visibility,
  cluster: Cluster,
  question: WhoAsked,
): Promise<WhoFound> {
  const answer = await withDoubts(snapshot, await who(snapshot, { ...question, visibility }));
  const watched = watchedFromTo(answer.reason === 'damaged' ? [] : await snapshot.coverage());
  const { now, namesCollectors } = question;
  return { answer, document: whoDocument(answer, visibility, cluster, now, namesCollectors), watched };
}

export function whoDocument(
  answer: Answer,
  visibility: Visibility,
  cluster: Cluster,
  now: EpochMillis | undefined,
  namesCollectors = false,
): WhoDocument {
  const { ip, at, provisional, conflicts, coverage } = answer;
  const query = { cluster: cluster.name, clusterId: cluster.id, ip, at: toText(at) };
  const rest = {
    ...narrowedDocument(visibility),
    coverage: {
      scope: scopeDocument(coverage.scope),
      from: textOrNull(coverage.from),
      to: textOrNull(watchedUntil(coverage.to, at, now)),
      gaps: coverage.gaps.map(({ from, to, reason }) => ({ from: toText(from), to: toText(to), reason })),
    },
    evidence: [...answer.evidence, ...conflicts].map((one) => evidenceDocument(one, namesCollectors)),
  };
  switch (answer.answer) {
    case 'held': {
      const basis = answer.basis === undefined ? {} : { basis: answer.basis };
      const holders = [answeredHolderDocument(answer.holders[0])] as const;
      return { query, answer: 'held', ...basis, provisional, holders, ...rest };
    }
    case 'free': {
      const { last, next } = answer;
      return {
        query,
        answer: 'free',
        ...(answer.reason === undefined ? {} : { reason: answer.reason }),
        provisional,
        holders: [],
        ...(last === undefined ? {} : { last: answeredHolderDocument(last) }),
        ...(next === undefined ? {} : { next: answeredHolderDocument(next) }),
        ...rest,
      };
    }
    case 'ambiguous': {
      const [first, ...others] = answer.holders;
      const holders = [answeredHolderDocument(first), ...others.map(answeredHolderDocument)] as const;
      return { query, answer: 'ambiguous', provisional, holders, ...rest };
    }
    case 'unknown':
      return { query, answer: 'unknown', reason: answer.reason, provisional, holders: [], ...rest };
  }
}

function scopeDocument(scope: Coverage['scope'] | undefined) {
  if (scope === undefined) return null;
  return scope.kind === 'namespaces' ? { namespaces: scope.namespaces } : scope.kind;
}
