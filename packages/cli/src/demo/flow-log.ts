// A flow log as a firewall or a VPC writes it, made from who really held which address: lines whose attribution the
// demo's ledger should know. Written once, for `podtrail attribute`.
import type { TrueTenure } from '@podtrail/sandbox';

export interface FlowLogOptions {
  readonly rows: number;
  readonly from: number;
  readonly to: number;
  readonly random: () => number;
}

const PORTS = [443, 8080, 5432, 6379, 53, 9092];

export function flowLog(tenures: readonly TrueTenure[], { rows, from, to, random }: FlowLogOptions): string {
  const held = tenures.filter((tenure) => !tenure.hostNetwork && tenure.from < to && (tenure.to ?? to) > from);
  const lines: { at: number; text: string }[] = [];
  for (let row = 0; row < rows && held.length > 0; row++) {
    const source = held[Math.floor(random() * held.length)] as TrueTenure;
    const target = held[Math.floor(random() * held.length)] as TrueTenure;
    const begin = Math.max(from, source.from);
    const at = Math.floor(begin + random() * (Math.min(to, source.to ?? to) - begin));
    const port = PORTS[Math.floor(random() * PORTS.length)];
    const bytes = Math.floor(200 + random() ** 4 * 5_000_000);
    lines.push({ at, text: `${new Date(at).toISOString()},${source.ip},${target.ip},${port},${bytes}` });
  }
  lines.sort((a, b) => a.at - b.at);
  return ['time,src_ip,dst_ip,dst_port,bytes', ...lines.map(({ text }) => text), ''].join('\n');
}
