/** Shades of the clinic's brand colour; the names are the CSS variables of the style sheet. */
export type Shades = {
  accent: string;
  'accent-hover': string;
  'on-accent': string;
  'accent-soft': string;
  'accent-ink': string;
  ring: string;
};
export type Theme = 'light' | 'dark';

/** WCAG 2.2: success criterion 1.4.3 (text) and 1.4.11 (non-text). */
export const TEXT_CONTRAST = 4.5;
export const UI_CONTRAST = 3;

/** Background colours under text, fields and buttons; a test compares them with the style sheet. */
export const GROUNDS: Record<Theme, Record<'canvas' | 'surface' | 'raised' | 'sunken' | 'hover', string>> = {
  light: { canvas: '#f7f9f9', surface: '#ffffff', raised: '#ffffff', sunken: '#f1f4f4', hover: '#edf2f2' },
  dark: { canvas: '#0d1314', surface: '#131b1c', raised: '#192324', sunken: '#0a0f10', hover: '#1d2829' },
};
const [BLACK, WHITE] = ['#000000', '#ffffff'];
/** Direction in which a shade with too little contrast is adjusted, and the colour of text on it. */
const WAYS: Record<Theme, { towards: string; written: string; softness: number }> = {
  light: { towards: BLACK, written: WHITE, softness: 0.12 },
  dark: { towards: WHITE, written: '#0a0f10', softness: 0.16 },
};
const STEP = 0.02;
const HOVER = 0.18;

const channels = (colour: string): number[] => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));

function mixed(colour: string, other: string, share: number): string {
  const target = channels(other);
  const parts = channels(colour).map((value, index) => Math.round(value + ((target[index] ?? value) - value) * share));
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Relative luminance as defined by WCAG. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @returns the contrast ratio, from 1 (no difference) to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the nearest shade, darker or lighter, that `isGood` accepts. */
function shadeOf(colour: string, towards: string, isGood: (shade: string) => boolean): string {
  for (let share = 0; share < 1; share += STEP) {
    const shade = mixed(colour, towards, share);
    if (isGood(shade)) return shade;
  }
  return towards;
}

/**
 * Returns the shades of a colour in a theme. Legibility comes first: the colour is darkened in the light theme, or
 * lightened in the dark theme, until text reaches 4.5:1 and everything else 3:1.
 */
export function shadesOf(colour: string, theme: Theme): Shades {
  const { towards, written, softness } = WAYS[theme];
  const grounds = Object.values(GROUNDS[theme]);
  const accent = shadeOf(
    colour,
    towards,
    (shade) =>
      contrast(shade, written) >= TEXT_CONTRAST && grounds.every((ground) => contrast(shade, ground) >= UI_CONTRAST),
  );
  const soft = mixed(GROUNDS[theme].surface, accent, softness);
  const ink = shadeOf(accent, towards, (shade) =>
    [soft, ...grounds].every((ground) => contrast(shade, ground) >= TEXT_CONTRAST),
  );
  return {
    accent,
    'accent-hover': mixed(accent, towards, HOVER),
    'on-accent': written,
    'accent-soft': soft,
    'accent-ink': ink,
    ring: accent,
  };
}
