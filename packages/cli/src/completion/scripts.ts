// Completion scripts for three shells, made from the words that can be typed. Where podtrail has nothing to offer the
// shell completes file names.
import type { CommandWords, FlagWords } from './command-words.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      // zsh reads bash's completions, once asked to.
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
    case 'fish':
      return fish(commands);
  }
}

function bash(commands: readonly CommandWords[]): string {
  const cases = commands.map(({ path, subcommands, flags }) => {
    const words = [...subcommands, ...flags.flatMap(({ names }) => names)].join(' ');
    return `    '${path}') words='${words}' ;;`;
  });
  const values = uniqueFlags(commands).map(
    ({ names, values: known = [] }) => `    ${names.join('|')}) words='${known.join(' ')}'; flag=1 ;;`,
  );
  const groups = commands
    .filter(({ path, subcommands }) => path !== '' && subcommands.length > 0)
    .map(({ path }) => path);
  return `# podtrail: completion for bash. Load it with: source <(podtrail completion bash)
_podtrail() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' flag='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      -*) ;;
      *)
        if [ -z "$path" ]; then path="\${COMP_WORDS[i]}"
        else case "$path" in ${groups.join('|') || '-'}) path="$path \${COMP_WORDS[i]}" ;; esac
        fi ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$prev" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _podtrail podtrail kubectl-podtrail
`;
}

function fish(commands: readonly CommandWords[]): string {
  const [root, ...others] = commands;
  const names = root?.subcommands ?? [];
  const lines = others
    .filter(({ path }) => !path.includes(' '))
    .map(({ path, summary }) => `complete -c podtrail -n '__fish_use_subcommand' -a ${path} -d ${quoted(summary)}`);
  for (const { path, subcommands, flags } of others) {
    const [first = '', second] = path.split(' ');
    const seen = `__fish_seen_subcommand_from ${first}${second === undefined ? '' : `; and __fish_seen_subcommand_from ${second}`}`;
    for (const word of subcommands) lines.push(`complete -c podtrail -n '${seen}' -a ${word}`);
    for (const flag of flags) lines.push(`complete -c podtrail -n '${seen}' ${fishFlag(flag)}`);
  }
  return `# podtrail: completion for fish. Load it with: podtrail completion fish | source\n# commands: ${names.join(' ')}\n${lines.join('\n')}\n`;
}

function fishFlag({ names, summary, values }: FlagWords): string {
  const forms = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const taken = values === undefined ? '' : values.length === 0 ? ' -r' : ` -x -a ${quoted(values.join(' '))}`;
  return `${forms.join(' ')}${taken} -d ${quoted(summary)}`;
}

/** Flags with values, each form once: they mean the same in every command. */
function uniqueFlags(commands: readonly CommandWords[]): FlagWords[] {
  const found = new Map<string, FlagWords>();
  for (const { flags } of commands) {
    for (const flag of flags) if (flag.values !== undefined) found.set(flag.names.at(-1) ?? '', flag);
  }
  return [...found.values()];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
