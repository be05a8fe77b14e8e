export type Env = Record<string, string | undefined>;
export type Output = Pick<NodeJS.WriteStream, 'write' | 'once'> & { isTTY?: boolean; columns?: number };

const COLORS = { red: 31, green: 32, yellow: 33, faint: 2 };
type Color = keyof typeof COLORS;

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const TURN_MS = 120;
const CLEAR = '\r\x1b[K';
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters to remove them
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Replaces control characters in external text, which a terminal would execute. */
export const sanitize = (text: string): string => text.replace(CONTROLS, '�');

/**
 * Results go to standard output, everything else to standard error. A progress line and colors appear only on a
 * terminal; NO_COLOR turns colors off.
 */
export function createScreen({ stdout, stderr, env }: { stdout: Output; stderr: Output; env: Env }) {
  const isDumb = env.TERM === 'dumb';
  const isLive = Boolean(stderr.isTTY) && !isDumb;
  const hasColors = Boolean(stdout.isTTY) && Boolean(stderr.isTTY) && !isDumb && !env.NO_COLOR;
  let progress = '';
  let frame = 0;
  const draw = () => {
    if (!isLive || !progress) return;
    const line = `${SPINNER[frame++ % SPINNER.length]} ${progress}`;
    stderr.write(CLEAR + paint('faint', line.slice(0, (stderr.columns ?? 80) - 1)));
  };
  const clear = () => isLive && progress && stderr.write(CLEAR);
  const timer = isLive ? setInterval(draw, TURN_MS) : undefined;
  timer?.unref();
  function paint(color: Color, text: string): string {
    return hasColors ? `\x1b[${COLORS[color]}m${text}\x1b[0m` : text;
  }
  return {
    paint,
    /** Prints a result. Resolves when there is room for the next one. */
    async line(text: string): Promise<void> {
      clear();
      const hasRoom = stdout.write(`${text}\n`);
      draw();
      if (!hasRoom) await new Promise<void>((resolve) => stdout.once('drain', resolve));
    },
    /** Prints a message to standard error. */
    message(text: string): void {
      clear();
      stderr.write(`${text}\n`);
      draw();
    },
    progress(text: string): void {
      progress = text;
      draw();
    },
    end(): void {
      clearInterval(timer);
      clear();
      progress = '';
    },
  };
}
export type Screen = ReturnType<typeof createScreen>;
