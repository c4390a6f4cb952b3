// The two files that every view gives: its rows as CSV, and a picture of it as PNG.
import { useState } from 'preact/hooks';
import { pictureOf } from './element-picture.ts';
import { savePicture, saveText } from './save-file.ts';

export interface SaveButtonsProps {
  /** Of the files, without their endings. */
  readonly name: string;
  /** Undefined while there is nothing to save. */
  readonly csv: (() => string) | undefined;
  /** What the picture is of: a part of the page, or what the view draws itself. */
  readonly picture?: () => HTMLElement | null | undefined;
}

export function SaveButtons({ name, csv, picture = () => document.getElementById('main') }: SaveButtonsProps) {
  const [said, say] = useState('');
  const save = async () => {
    const of = picture();
    if (of) savePicture(`podtrail-${name}.png`, of instanceof HTMLCanvasElement ? of : await pictureOf(of));
  };
  return (
    <>
      <button type="button" disabled={csv === undefined} onClick={() => csv && saveText(`podtrail-${name}.csv`, csv())}>
        CSV
      </button>
      <button
        type="button"
        disabled={csv === undefined}
        onClick={() => void save().catch(() => say('This browser draws no such picture'))}
      >
        PNG
      </button>
      <span role="status">{said}</span>
    </>
  );
}
