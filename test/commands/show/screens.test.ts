import { expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';

const now = new Date('2026-11-20T10:00:00Z');

/** Shows a record of the sample workspace. */
const expectText = async (line: string, options = {}) => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith(line, { now, env: { NO_COLOR: '1' }, ...options });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return expect(`\n${out}`);
};

test('shows an organization with its people, entries, notes and meetings', async () => {
  (await expectText('organizations show 한빛물류 --limit 2', { terminal: 80 })).toBe(`
한빛물류
ID              rl16pk
Closed entries  2 Won
Domains         hanbit-cold.example, hanbit-logis.example
Industry        Logistics
Country         South Korea
City            Busan
Keeps cold      Fish, Fruit, Ice cream
Cold rooms      14
Website         https://hanbit-cold.example
Account owner   mina@tidewater.example
Customer since  2026-05-29
Delivery notes  감천항 3번 게이트로 들어와 경비실에서 문 반장님을 찾을 것. 밤
                10시 이후에는 문 반장님이 직접 나오심.

People
  0rlnky  김지우  jiwoo.kim@hanbit-cold.example    +821055501234
  v49o47  박도현  dohyun.park@hanbit-cold.example  +821055504357
  and 3 more

Open entries
  gy9qnj  DEAL-73  Proposal  6,400.00 + 240.00/mo  Sales pipeline
  qy6ezj  Cold Chain Days Lisbon

Notes
  n20y3d  2026-08-12 10:00  DEAL-25
    트럭 6대 설치 끝. 5번 트럭만 센서가 자꾸 떨어지는데, 기사님이 노래방
    스피커를 같은 벽에 붙여 놓으셨다. 베이스가 문제였다. 스피커는 앞으로, 센서는
    뒤로. 지우 님이 배치도에 '음향 담당'이라고 적어 두심.
  95lm2l  2026-06-03 10:00  DEAL-1
    Mystery of room 7 solved. It alarmed six times in its first night, always
    between 02:10 and 04:40. Kenji suspected the sensor, then the firmware, then
    himself. At 02:15 on the second night he found the door propped open with a
    crate of mackerel. Mr Moon, the night foreman, explained that the handle fr…
  and 1 more

Past meetings
  k0kw50  2026-11-12 02:00  인천, 한 장으로
    인천 8개 룸 제안을 박도현 대표에게 슬라이드 한 장으로 보여 드리기로 하고,
    무엇을 남길지 정했다.
    Action items:
    - 서미나가 슬라이드 한 장을 화요일까지 만들어 해나와 함께 검토한다.
    - 오민재가 인천 시공사에 손잡이 열선 견적을 받는다.
    - 김지우가 12월 첫 주에 박도현 대표 시간을 20분 잡는다.
  20ew08  2026-06-04 07:00  7번 냉동고와 고등어 한 상자
    7번 냉동고가 밤마다 울린 까닭은 문 반장이 고등어 상자로 문을 괴어 두었기
    때문이었다.
    Action items:
    - 김지우가 6월 5일 7번 손잡이 열선 공사에 입회한다.
    - 서미나가 14개 룸에서 새벽에 5분 넘게 열린 문을 뽑아 월요일까지 보낸다.
    - 이서연이 야간 점검표에 '안에서 열림' 칸을 넣는다.
    - 서미나가 첫날 알람 기록을 액자에 넣어 하역장 사무실로 보낸다.
`);
});

test('shows a contact with the notes about its organization', async () => {
  (await expectText('contacts show jiwoo.kim@hanbit-cold.example --limit 1')).toBe(`
김지우
ID              0rlnky
Organization    한빛물류 (rl16pk)
Closed entries  2 Won
Emails          jiwoo.kim@hanbit-cold.example
Phone numbers   +821055501234
Role            Head of operations
Language        Korean
Birthday        1988-11-02
Last visit      2026-11-10 01:00
Met by          mina@tidewater.example, kenji@tidewater.example
Good to know    Our very first customer contact. Tests every alarm with a cup of iced coffee.

Open entries
  gy9qnj  DEAL-73  Proposal  6,400.00 + 240.00/mo  Sales pipeline
  and 2 more

Notes about 한빛물류
  n20y3d  2026-08-12 10:00  DEAL-25
    트럭 6대 설치 끝. 5번 트럭만 센서가 자꾸 떨어지는데, 기사님이 노래방 스피커를 같은 벽에 붙여 놓으셨다. 베이스가 문제였다. 스피커는 앞으로, 센서는 뒤로. 지우 님이 배치도에 '음향 담당'이라고 적어 두심.
  and 2 more

Past meetings
  k0kw50  2026-11-12 02:00  인천, 한 장으로
    인천 8개 룸 제안을 박도현 대표에게 슬라이드 한 장으로 보여 드리기로 하고, 무엇을 남길지 정했다.
    Action items:
    - 서미나가 슬라이드 한 장을 화요일까지 만들어 해나와 함께 검토한다.
    - 오민재가 인천 시공사에 손잡이 열선 견적을 받는다.
    - 김지우가 12월 첫 주에 박도현 대표 시간을 20분 잡는다.
  and 1 more
`);
});

test('shows an entry with the other entries of its organization', async () => {
  (await expectText('entries show "Sales pipeline" m7lwpy --limit 1')).toBe(`
DEAL-1: 한빛물류
ID              m7lwpy
List            Sales pipeline
Status          Won
Value           10,920.00 + 420.00/mo
Organization    한빛물류 (rl16pk)
Contact         김지우 (0rlnky)
Next step       Hang the framed first alarm log in the loading-bay office
Expected close  2026-05-31
Rooms           14
Source          Cold call
Champion        문태식
Assignee        mina@tidewater.example
Closed          2026-05-29 15:00

People
  0rlnky  김지우  jiwoo.kim@hanbit-cold.example  +821055501234
  and 4 more

Other open entries
  gy9qnj  DEAL-73  Proposal  6,400.00 + 240.00/mo  Sales pipeline
  and 1 more

Notes
  n20y3d  2026-08-12 10:00  DEAL-25
    트럭 6대 설치 끝. 5번 트럭만 센서가 자꾸 떨어지는데, 기사님이 노래방 스피커를 같은 벽에 붙여 놓으셨다. 베이스가 문제였다. 스피커는 앞으로, 센서는 뒤로. 지우 님이 배치도에 '음향 담당'이라고 적어 두심.
  and 2 more

Past meetings
  k0kw50  2026-11-12 02:00  인천, 한 장으로
    인천 8개 룸 제안을 박도현 대표에게 슬라이드 한 장으로 보여 드리기로 하고, 무엇을 남길지 정했다.
    Action items:
    - 서미나가 슬라이드 한 장을 화요일까지 만들어 해나와 함께 검토한다.
    - 오민재가 인천 시공사에 손잡이 열선 견적을 받는다.
    - 김지우가 12월 첫 주에 박도현 대표 시간을 20분 잡는다.
  and 1 more
`);
});

test('shows an entry of a contact', async () => {
  (await expectText('entries show "Reseller program" gj30mj')).toContain(`
RES-1: سامح عبد الفتاح
ID            gj30mj
List          Reseller program
Status        Certified
Value         2,400.00/yr
Organization  شركة النيل للتبريد (opk3lm)
Contact       سامح عبد الفتاح (nkwx0r)
`);
});
