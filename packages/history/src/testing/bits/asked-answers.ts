// What a store answers to questions of every kind, as texts that can be compared. What a store says of itself while it is
// behind (its coverage ends earlier) is cut to what it claims to know.

import type { Engine } from '../../engines/engine.ts';
import type { Subject } from '../../engines/snapshot.ts';
import { at, ipOf } from '../../engines/testing/record-builders.ts';
import { allRecords, withSnapshot } from '../../engines/with-snapshot.ts';
import { HistoryError } from '../../errors.ts';
import type { Tenure } from '../../model/records.ts';
import { epochMillis } from '../../model/time.ts';
import { conflictsOf } from '../../query/conflicts.ts';
import { podsOnNode } from '../../query/node-pods.ts';
import { trail } from '../../query/trail.ts';
import { who } from '../../query/who.ts';
import { SeededNumbers } from '../seeded-numbers.ts';
import { ADDRESSES, CLUSTERS, HOUR_S, STEP_S, STEPS, type Story } from './whole-stores.ts';

export interface Question {
  readonly name: string;
  /** Undefined: unknown. `until` is how far the store claims to have watched. */
  ask(engine: Engine, until: number): Promise<string | undefined>;
}

const END_S = STEPS * STEP_S;
const ALL = { limit: 10_000 };
const SPAN = { from: at(0), to: at(END_S + HOUR_S) };

export function questionsOf(story: Story, seed: number): Question[] {
  const numbers = new SeededNumbers(seed);
  const questions: Question[] = [];
  for (const { id, name } of CLUSTERS) {
    for (let i = 0; i < 60; i++) {
      const ip = i % 20 === 0 ? `192.168.0.${i % 3}` : `10.0.0.${numbers.between(0, ADDRESSES + 1)}`;
      questions.push(whoIs(id, name, ip, numbers.between(-HOUR_S, END_S + HOUR_S)));
    }
    for (const { start, end, ip } of story.pods.filter((_, i) => i % 5 === 0)) {
      questions.push(whoIs(id, name, ip, Math.min(END_S - 2, Math.floor((start + end) / 2))));
    }
    for (let i = 0; i < 6; i++) {
      const pod = story.pods[numbers.between(0, story.pods.length - 1)]!;
      questions.push(trailOf(id, name, { by: 'uid', uid: `uid-${pod.name}` }));
      questions.push(trailOf(id, name, { by: 'name', namespace: 'shop', name: pod.name }));
    }
    questions.push(placedOf(id, name, { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' }));
    for (const node of ['node-0', 'node-1']) questions.push(nodeAt(id, name, node, numbers.between(0, END_S)));
    questions.push(...timed(id, name), covered(id, name), resumed(id, name), exported(id, name));
  }
  return questions;
}

function whoIs(cluster: string, name: string, ip: string, seconds: number): Question {
  return {
    name: `who ${ip} at ${seconds} in ${name}`,
    async ask(engine) {
      const answer = await withSnapshot(engine, cluster, (snapshot) =>
        who(snapshot, { ip: ipOf(ip), at: at(seconds) }),
      );
      // What may still change says so.
      if (answer.answer === 'unknown' || answer.provisional) return undefined;
      return JSON.stringify([answer.answer, answer.holders.map((holder) => [holder.uid, holder.start.at])]);
    },
  };
}

function trailOf(cluster: string, name: string, subject: Subject): Question {
  return {
    name: `trail ${JSON.stringify(subject)} in ${name}`,
    async ask(engine, until) {
      const { items } = await withSnapshot(engine, cluster, (snapshot) =>
        trail(snapshot, { subject, span: SPAN, page: ALL }),
      );
      const entries = items.map(({ pod, start, end, tenures }) => [
        pod.uid,
        interval({ start, end }, until),
        tenures.flatMap((tenure) => (tenure.start.at >= until ? [] : [[tenure.ip, interval(tenure, until)]])),
      ]);
      return JSON.stringify(entries.filter((_, i) => items[i]!.start.at < until));
    },
  };
}

function placedOf(cluster: string, name: string, subject: Subject): Question {
  return {
    name: `placements of ${JSON.stringify(subject)} in ${name}`,
    async ask(engine, until) {
      const { items } = await withSnapshot(engine, cluster, (snapshot) => snapshot.placementsOf(subject, SPAN, ALL));
      const before = items.filter(({ start }) => start.at < until);
      return JSON.stringify(before.map((placement) => [placement.pod.uid, interval(placement, until)]));
    },
  };
}

function nodeAt(cluster: string, name: string, node: string, seconds: number): Question {
  return {
    name: `node ${node} at ${seconds} in ${name}`,
    async ask(engine, until) {
      if (at(seconds) >= until) return undefined;
      const { items } = await withSnapshot(engine, cluster, (snapshot) =>
        podsOnNode(snapshot, { node, during: at(seconds), page: ALL }),
      );
      return JSON.stringify(items.map((pod) => [pod.pod.uid, pod.certain]));
    },
  };
}

function timed(cluster: string, name: string): Question[] {
  const subject: Subject = { by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' };
  const within = <T extends { readonly observedAt: number }>(items: readonly T[], until: number): string =>
    JSON.stringify(items.filter(({ observedAt }) => observedAt < until));
  return [
    {
      name: `changes in ${name}`,
      ask: async (engine, until) =>
        within(
          (
            await withSnapshot(engine, cluster, (snapshot) =>
              snapshot.occurrences({ kind: 'change', subject, span: SPAN, page: ALL }),
            )
          ).items,
          until,
        ),
    },
    {
      name: `anomalies in ${name}`,
      ask: async (engine, until) =>
        within(
          (
            await withSnapshot(engine, cluster, (snapshot) =>
              snapshot.occurrences({ kind: 'anomaly', span: SPAN, page: ALL }),
            )
          ).items,
          until,
        ),
    },
    {
      name: `conflicts in ${name}`,
      ask: async (engine, until) =>
        within(await withSnapshot(engine, cluster, (snapshot) => conflictsOf(snapshot, ipOf('10.0.0.1'), SPAN)), until),
    },
    {
      name: `pods without an address in ${name}`,
      ask: async (engine, until) => {
        const span = { from: SPAN.from, to: epochMillis(until - STEP_S * 1000) };
        return JSON.stringify(
          (await withSnapshot(engine, cluster, (snapshot) => snapshot.possibleTenures(span))).map(({ pod, start }) => [
            pod.uid,
            start.at,
          ]),
        );
      },
    },
  ];
}

function covered(cluster: string, name: string): Question {
  return {
    name: `coverage of ${name}`,
    async ask(engine, until) {
      const [coverage, expired] = [
        await withSnapshot(engine, cluster, (snapshot) => snapshot.coverage()),
        await withSnapshot(engine, cluster, (snapshot) => snapshot.expired()),
      ];
      return JSON.stringify([coverage.map(({ from, to, scope }) => [from, Math.min(to, until), scope]), expired]);
    },
  };
}

function resumed(cluster: string, name: string): Question {
  return {
    name: `resumption of ${name}`,
    async ask(engine, until) {
      const { state, checkpoint } = await engine.resume(cluster);
      // A recorder that goes on from an earlier place sees everything since then again.
      if (checkpoint !== undefined && checkpoint.at < at(END_S)) return undefined;
      return JSON.stringify([state.live.map(({ uid }) => uid), checkpoint, until]);
    },
  };
}

function exported(cluster: string, name: string): Question {
  return {
    name: `export of ${name}`,
    async ask(engine, until) {
      if (until < at(END_S)) return undefined;
      const lines: string[] = [];
      for await (const fact of allRecords(engine, cluster)) lines.push(JSON.stringify(fact));
      return lines.join('\n');
    },
  };
}

function interval({ start, end }: Pick<Tenure, 'start' | 'end'>, until: number): (number | undefined)[] {
  return [start.at, end === undefined || end.at >= until ? undefined : end.at];
}

export interface Asked {
  /** Undefined where it is unknown or refused. */
  readonly answers: readonly (string | undefined)[];
  /** Refusals that nobody meant to show, by their messages. */
  readonly unexpected: readonly string[];
}

/** `untils`: how far each cluster is to be believed, when that is less than it claims. */
export async function askAll(engine: Engine, questions: readonly Question[], untils: Untils): Promise<Asked> {
  const answers: (string | undefined)[] = [];
  const unexpected: string[] = [];
  for (const { name, ask } of questions) {
    try {
      answers.push(await ask(engine, untils.get(name.slice(name.lastIndexOf(' ') + 1)) ?? at(END_S)));
    } catch (error) {
      answers.push(undefined);
      if (!(error instanceof HistoryError)) unexpected.push(`${name}: ${String(error)}`);
    }
  }
  return { answers, unexpected };
}

export type Untils = ReadonlyMap<string, number>;

/** How far the store claims to have watched each cluster. */
export async function claimsOf(engine: Engine): Promise<Untils> {
  const claims = new Map<string, number>();
  for (const { id, name } of CLUSTERS) {
    try {
      claims.set(
        name,
        Math.max(0, ...(await withSnapshot(engine, id, (snapshot) => snapshot.coverage())).map(({ to }) => to)),
      );
    } catch {
      claims.set(name, at(END_S));
    }
  }
  return claims;
}
