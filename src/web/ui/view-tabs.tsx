import { cn } from './cn.ts';

type ViewTabsProps<Value extends string> = {
  /** What is chosen, for screen readers. */
  label: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
};

/** Tabs for a few views of one list. */
export function ViewTabs<Value extends string>({ label, options, value, onChange }: ViewTabsProps<Value>) {
  return (
    <fieldset aria-label={label} className="mb-3 min-w-0 print:hidden">
      {/* Not the fieldset itself, whose background would not scroll. */}
      <div className="scroll-shadow-x flex gap-1 overflow-x-auto border-b border-line">
        {options.map((option) => (
          <button
            key={option.value}
            type="button"
            aria-pressed={option.value === value}
            onClick={() => onChange(option.value)}
            className={cn(
              '-mb-px border-b-2 px-3 py-2 font-medium whitespace-nowrap -outline-offset-2 max-md:min-h-11',
              option.value === value
                ? 'border-accent text-accent-ink'
                : 'border-transparent text-muted hover:border-line hover:text-ink',
            )}
          >
            {option.label}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
