// A picture of a part of the page, as it looks: its elements with the page's styles inside an SVG, drawn on a canvas. No
// request is made; what cannot be drawn rejects, and the caller says so.
const PADDING = 16;

export async function pictureOf(element: HTMLElement): Promise<HTMLCanvasElement> {
  const { width, height } = element.getBoundingClientRect();
  const [w, h] = [Math.ceil(width) + 2 * PADDING, Math.ceil(height) + 2 * PADDING];
  const root = document.documentElement;
  const background = getComputedStyle(root).backgroundColor;
  const copy = element.cloneNode(true) as HTMLElement;
  // Buttons are for the page.
  for (const control of copy.querySelectorAll('.actions, script')) control.remove();
  const theme = root.dataset['theme'] ?? 'light';
  const body = `<div xmlns="http://www.w3.org/1999/xhtml" class="picture">${new XMLSerializer().serializeToString(copy)}</div>`;
  const styles = `${pageStyles().replaceAll(':root[data-theme="dark"]', theme === 'dark' ? ':root' : ':root[data-none]')}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}"><style>${escaped(styles)}</style><foreignObject x="${PADDING}" y="${PADDING}" width="${Math.ceil(width)}" height="${h}">${body}</foreignObject></svg>`;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  const scale = Math.max(1, devicePixelRatio);
  [canvas.width, canvas.height] = [w * scale, h * scale];
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser draws no pictures');
  context.scale(scale, scale);
  context.fillStyle = background;
  context.fillRect(0, 0, w, h);
  context.drawImage(image, 0, 0);
  return canvas;
}

function pageStyles(): string {
  return [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText)).join('\n');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
