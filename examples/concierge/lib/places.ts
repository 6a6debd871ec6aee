/** Days as the book counts them. */
export const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

export type Day = (typeof days)[number];

/** An entry of the concierge's book. A day that is not listed is a day off. */
export interface Place {
  readonly name: string;
  readonly what: string;
  readonly walkMinutes: number;
  readonly hours: Partial<Record<Day, string>>;
}

const everyDay = (hours: string): Record<Day, string> => ({
  monday: hours,
  tuesday: hours,
  wednesday: hours,
  thursday: hours,
  friday: hours,
  saturday: hours,
  sunday: hours,
});

/** The book. It lives beside the tools because it is knowledge, not a tool. */
export const places: readonly Place[] = [
  { name: "Breakfast room", what: "breakfast in the house", walkMinutes: 0, hours: everyDay("06:30–11:00") },
  { name: "Sauna", what: "in the cellar, towels at the desk", walkMinutes: 1, hours: everyDay("15:00–22:00") },
  {
    name: "Trattoria Lina",
    what: "handmade pasta, eleven tables",
    walkMinutes: 4,
    hours: {
      tuesday: "17:30–23:00",
      wednesday: "17:30–23:00",
      thursday: "17:30–23:00",
      friday: "17:30–24:00",
      saturday: "12:00–24:00",
      sunday: "12:00–22:00",
    },
  },
  {
    name: "Museum of Small Things",
    what: "buttons, keys and music boxes",
    walkMinutes: 12,
    hours: {
      wednesday: "10:00–18:00",
      thursday: "10:00–20:00",
      friday: "10:00–18:00",
      saturday: "10:00–18:00",
      sunday: "10:00–17:00",
    },
  },
  {
    name: "Linden Market",
    what: "fruit, cheese and flowers on the square",
    walkMinutes: 2,
    hours: { wednesday: "08:00–14:00", saturday: "08:00–15:00" },
  },
];

/** Places whose name has the words, in the book's order. */
export function find(words: string): readonly Place[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return places.filter((place) => wanted.every((word) => place.name.toLowerCase().includes(word)));
}
