import { findPatterns, type Pattern, type Span } from './span';

/** Words of health in the languages that are screened, folded (no accents). */
const patterns: readonly Pattern[] = [
  { shape: /(?<![A-Za-z])AIDS(?![A-Za-z])/g },
  {
    shape:
      /(?<![a-z])(?:diagnos(?:ed|is)|hiv|cancer|tumou?r|chemotherapy|diabet(?:es|ic)|insulin|epileps?y|epileptic|asthma|bipolar|schizophreni[ac]|depress(?:ion|ed|ive)|anxiety disorder|pregnan(?:t|cy)|miscarriage|dialysis|dementia|alzheimer'?s|autis(?:m|tic)|adhd|allerg(?:y|ies|ic)|disabilit(?:y|ies)|wheelchair|medications?|prescribed|antidepressants?|psychiatrist|psychiatric|oncolog(?:y|ist)|surgery|hospitali[sz]ed|blood (?:type|group|pressure)|heart (?:condition|disease|attack)|mental (?:health|illness)|medical (?:condition|record|history))(?![a-z])/gi,
  },
  {
    shape:
      /(?<![a-z])(?:diagnostic(?:o|ada|ado)|vih|sida|embarazad[ao]|embarazo|alergi(?:a|as|co|ca)|discapacidad|enfermedad|quimioterapia|diagnostiqu(?:e|ee)|enceinte|grossesse|allergi(?:e|ique|sch)|handicape?|maladie|diabet(?:iker|ikerin|ico|ica|ique|e)|schwanger(?:schaft)?|krebs|krankheit|erkrankt|behinderung|depression(?:en)?|epilepsie|gravida|gravidez|doenca|deficiencia|malattia|incinta|tumore)(?![a-z])/gi,
  },
  {
    shape:
      /диабет|беременн|диагноз|инвалид|онколог|ВИЧ-|糖尿病|怀孕|懷孕|癌症|抑郁症|艾滋|过敏|残疾|妊娠|うつ病|アレルギー|당뇨|임신|우울증|السكري|حامل|سرطان|اكتئاب|मधुमेह|गर्भवती|कैंसर|ডায়াবেটিস|গর্ভবতী|ক্যান্সার/gu,
  },
];

/** Words about somebody's health in folded text; no judgement whose health it is. */
export function findHealth(text: string): Span[] {
  return findPatterns(text, patterns);
}
