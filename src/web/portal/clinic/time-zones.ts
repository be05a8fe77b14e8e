import type { ComboboxOption } from '#web/ui/combobox.tsx';

const MOST = 50;

export const zoneOption = (zone: string): ComboboxOption => ({ value: zone, label: zone.replaceAll('_', ' ') });

/** Time zones whose names contain all typed words, in any order: "york", "new york". */
export async function searchZones(text: string): Promise<ComboboxOption[]> {
  const words = text.toLowerCase().split(/[\s/_]+/);
  return ['UTC', ...Intl.supportedValuesOf('timeZone')]
    .map(zoneOption)
    .filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)))
    .slice(0, MOST);
}
