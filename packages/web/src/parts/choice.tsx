// One of a few, as buttons in a row of which one is pressed: a parameter of the URL.
import { adjust } from '../address/location.ts';

export interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  /** Words by value. */
  readonly options: Readonly<Record<string, string>>;
  readonly value: string | undefined;
  /** The value that the URL need not say. */
  readonly otherwise?: string;
  /** What else changes with it. */
  readonly also?: Readonly<Record<string, string | undefined>>;
}

export function Choice({ name, label, options, value, otherwise = '', also }: ChoiceProps) {
  return (
    <fieldset class="row" aria-label={label}>
      {Object.entries(options).map(([option, word]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => adjust({ [name]: option === otherwise ? undefined : option, ...also }, true)}
        >
          {word}
        </button>
      ))}
    </fieldset>
  );
}
