import { PlainSelect } from './plain-select.tsx';
import type { SelectOption } from './select.tsx';

type FilterSelectProps = {
  label: string;
  options: SelectOption[];
  value: string;
  onChange: (value: string) => void;
  className?: string;
};

/** Two filters share a row on phones. */
export const filterWidth = 'w-44 max-md:w-[calc(50%-0.25rem)]';

/** A select for a list's toolbar. */
export const FilterSelect = ({ label, onChange, className = filterWidth, ...rest }: FilterSelectProps) => (
  <PlainSelect aria-label={label} onValueChange={onChange} className={className} {...rest} />
);
