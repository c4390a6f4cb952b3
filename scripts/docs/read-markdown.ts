// The parts of a Markdown file that can be wrong about the repository: code spans, links, headings, `sh` fences, and the
// prose between. Called by scripts/check-docs.ts. Line-based on purpose: our files use no nested or indented fences.

export interface MarkdownParts {
  /** Contents of `code spans` outside fences. */
  readonly codeSpans: readonly string[];
  /** Targets of [links](target) and images. */
  readonly links: readonly string[];
  /** Anchors of the headings as the forge makes them. */
  readonly anchors: ReadonlySet<string>;
  /** Lines of fences marked `sh`, without comments. */
  readonly shellLines: readonly string[];
  readonly prose: readonly string[];
}

export function readMarkdown(text: string): MarkdownParts {
  const codeSpans: string[] = [];
  const links: string[] = [];
  const anchors = new Set<string>();
  const shellLines: string[] = [];
  const prose: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const mark = /^\s*(?:```|~~~)(.*)$/.exec(line)?.[1];
    if (mark !== undefined) {
      fence = fence === undefined ? mark.trim() : undefined;
    } else if (fence === undefined) {
      prose.push(line);
      const heading = /^#+\s+(.*)$/.exec(line)?.[1];
      if (heading !== undefined) anchors.add(anchorOf(heading));
      for (const [, span] of line.matchAll(/`([^`]+)`/g)) codeSpans.push(span ?? '');
      for (const [, target] of withoutCode(line).matchAll(/\]\(([^)\s]+)[^)]*\)/g)) links.push(target ?? '');
    } else if (fence === 'sh') {
      shellLines.push(line.replace(/(^|\s)#.*$/, '').trim());
    }
  }
  return { codeSpans, links, anchors, shellLines, prose };
}

function anchorOf(heading: string): string {
  const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return words.trim().replaceAll(/\s/g, '-');
}

function withoutCode(line: string): string {
  return line.replaceAll(/`[^`]*`/g, '``');
}
