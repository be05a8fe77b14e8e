'use client';
import { RadioGroup } from 'radix-ui';
import { useState } from 'react';
import { EVENT_TOPICS, EVENT_TYPES, type EventType } from '#contract/event-types.ts';
import { Checkbox } from '#web/ui/checkbox.tsx';
import { ChoiceCard } from '#web/ui/choice-card.tsx';
import { TYPE_NAMES, titleOf } from '../event-names/event-words.ts';

const ALL = '*';
/** Fixed order, independent of the order of selection. */
const CHOICES = EVENT_TYPES.flatMap((type) => [type, ...EVENT_TOPICS[type].map((topic) => `${type}.${topic}`)]);

type Props = { value: string[]; onChange: (value: string[]) => void };

/** Selects everything or single events. Nothing is preselected: an admin decides what a system is sent. */
export function EventChoice({ value, onChange }: Props) {
  const isAll = value.includes(ALL);
  // Restores the selection when the user switches to everything and back.
  const [ticked, setTicked] = useState(isAll ? [] : value);
  const [isChosen, setChosen] = useState(!isAll && value.length > 0);
  const tick = (names: string[]) => {
    setTicked(names);
    onChange(names);
  };
  const kind = isAll ? 'all' : isChosen ? 'some' : '';
  return (
    <div className="grid gap-2">
      <RadioGroup.Root
        aria-label="Events to send"
        value={kind}
        onValueChange={(next) => {
          setChosen(next === 'some');
          onChange(next === 'all' ? [ALL] : ticked);
        }}
        className="grid gap-2 md:grid-cols-2"
      >
        <ChoiceCard value="all" title="Everything" hint="Also kinds of events that come to be later." />
        <ChoiceCard value="some" title="What I choose" hint="Whole kinds, or single events of them." />
      </RadioGroup.Root>
      {isChosen && !isAll && (
        <div className="grid gap-3 rounded-md border border-line p-3">
          {EVENT_TYPES.map((type) => (
            <TypeChoice key={type} type={type} value={value} onChange={tick} />
          ))}
        </div>
      )}
    </div>
  );
}

function TypeChoice({ type, value, onChange }: Props & { type: EventType }) {
  const isWhole = value.includes(type);
  const names = EVENT_TOPICS[type].map((topic) => ({ topic, name: `${type}.${topic}` }));
  const toggle = (name: string, on: boolean) =>
    onChange(
      CHOICES.filter((one) => (one === name ? on : value.includes(one)))
        // Single topics are redundant next to the whole type.
        .filter((one) => !(on && name === type && one.startsWith(`${type}.`))),
    );
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1 text-[13px] font-medium">{TYPE_NAMES[type]}</legend>
      <Checkbox
        label={`Everything about ${TYPE_NAMES[type].toLowerCase()}`}
        checked={isWhole}
        onCheckedChange={(on) => toggle(type, on === true)}
      />
      <div className="grid gap-1.5 pl-6.5 sm:grid-cols-2 md:grid-cols-3">
        {names.map(({ topic, name }) => (
          <Checkbox
            key={name}
            label={titleOf({ event_type: type, event_topic: topic })}
            checked={isWhole || value.includes(name)}
            disabled={isWhole}
            onCheckedChange={(on) => toggle(name, on === true)}
          />
        ))}
      </div>
    </fieldset>
  );
}
