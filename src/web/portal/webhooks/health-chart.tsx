import type { WebhookHealthView } from '#contract/webhooks.ts';

const BAR = 6;
const STEP = 8;
const HALF = 16;

/** Attempts by the hour: successes above the line, failures below it. The text next to the chart says the same. */
export function HealthChart({ health, size }: { health: WebhookHealthView | undefined; size: 'small' | 'large' }) {
  const hours = health?.hours ?? [];
  const max = Math.max(1, ...hours.flatMap(({ delivered, failed }) => [delivered, failed]));
  // Minimum height: small counts stay visible next to much larger ones.
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / max) * (HALF - 1)));
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${24 * STEP} ${2 * HALF}`}
      preserveAspectRatio="none"
      className={size === 'small' ? 'h-7 w-36' : 'h-24 w-full'}
    >
      <rect y={HALF - 0.5} width={24 * STEP} height={1} className="fill-line" />
      {hours.map(({ at, delivered, failed }, index) => (
        <g key={at}>
          <rect
            x={index * STEP + 1}
            width={BAR}
            y={HALF - heightOf(delivered)}
            height={heightOf(delivered)}
            className="fill-good-ink"
          />
          <rect x={index * STEP + 1} width={BAR} y={HALF} height={heightOf(failed)} className="fill-danger" />
        </g>
      ))}
    </svg>
  );
}
