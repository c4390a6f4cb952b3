// Saves what a view shows as a file of the reader: CSV as text, PNG from a canvas.

export function saveText(name: string, text: string, type = 'text/csv'): void {
  save(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

export function savePicture(name: string, canvas: HTMLCanvasElement): void {
  canvas.toBlob((blob) => {
    if (blob !== null) save(name, blob);
  }, 'image/png');
}

function save(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
