/** The name shown for a speaker without one. */
export const unknownSpeaker = 'Unknown speaker';

/** Replaces a colon in a name in SubRip, where a colon ends the name. */
export const nameColon = '꞉';

/** The maximum number of characters of a name in front of a text. */
export const maxSpeakerLength = 100;
