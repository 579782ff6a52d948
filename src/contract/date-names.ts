/** The names of months in their order, and their short forms, without short forms that are English words, such as `out`. */
export const monthNames: readonly string[] = [
  'January February March April May June July August September October November December',
  'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec',
  'Januar Februar März April Mai Juni Juli August September Oktober November Dezember',
  'Jan Feb Mär Apr Mai Jun Jul Aug Sept Okt Nov Dez',
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  'janv févr mars avr mai juin juil août sept oct nov déc',
  'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  'ene feb mar abr may jun jul agosto sept oct nov dic',
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
  'jan fev mar abr mai jun jul agosto setembro outubro nov dez',
  '1월 2월 3월 4월 5월 6월 7월 8월 9월 10월 11월 12월',
  '1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月',
];

/** The names of weekdays from Monday. */
export const weekdayNames: readonly string[] = [
  'Monday Tuesday Wednesday Thursday Friday Saturday Sunday',
  'Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag',
  'lundi mardi mercredi jeudi vendredi samedi dimanche',
  'lunes martes miércoles jueves viernes sábado domingo',
  'segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo',
  '월요일 화요일 수요일 목요일 금요일 토요일 일요일',
  '月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日',
];
