extension PageTexts.ConsoleUsers {
    static let korean = Self(
        unverified: "주소가 확인되지 않음",
        withoutFactor: "2단계 요소 없음",
        ofProvider: "제공업체 계정이 있음",
        createdSince: "지정일 이후 생성",
        moreFilters: "제공업체와 날짜",
        sortHint: "모든 사용자 목록의 순서입니다. 검색과 필터에는 고유한 순서가 있습니다.",
        provider: "제공업체 ID",
        providerMissing: "제공업체를 입력하세요. 예: google.com",
        since: "생성일(UTC)이 이 날 이후",
        dayMalformed: "날짜를 연, 월, 일 순서로 쓰세요: 2026-11-01",
        chosen: "선택",
        choose: { "\($0) 선택" },
        choosing: "선택한 사용자가 대상입니다. 아무도 선택하지 않으면 이 목록이 찾는 모두가 대상입니다. 다음 페이지에 대상과 결과가 표시됩니다.",
        disableAll: .init(
            title: "이 계정들 사용 중지",
            body: "사용자는 로그인할 수 없고 토큰은 거부됩니다. 계정을 다시 사용하면 세션이 이어집니다."
        ),
        enableAll: .init(
            title: "이 계정들 사용",
            body: "사용자는 다시 로그인할 수 있고 이전 세션도 이어집니다."
        ),
        endSessionsOfAll: .init(
            title: "이 사용자들의 세션 종료",
            body: "사용자는 모든 기기에서 로그아웃되고 모든 토큰이 무효가 됩니다."
        ),
        sendVerificationToAll: .init(
            title: "확인 이메일 보내기",
            body: "각 사용자는 주소를 확인하는 링크가 담긴 이메일을 받습니다. 이메일 한도가 적용됩니다."
        ),
        deleteAll: .init(
            title: "이 계정들 삭제",
            body: "계정과 그 세션, 요소, 패스키가 삭제됩니다. 되돌릴 수 없습니다."
        ),
        nothingToDo: "할 일이 없습니다. 바뀔 사용자가 없습니다.",
        countOfUsers: { "사용자 \($0)명" },
        skipped: { "다른 \($0)명은 이미 그 상태이며 그대로 둡니다." },
        atLeastUsers: { "사용자 \($0)명 이상" },
        uncounted: "여기에서 센 것보다 더 많은 사용자가 해당합니다. 작업은 모든 사용자를 거칩니다.",
        cutOff:
            "텍스트 검색이 찾는 것보다 더 많은 사용자가 해당합니다. 여기에서 센 사용자만 대상입니다. 나머지는 더 입력해서 찾으세요.",
        progress: { done, total in
            total.map { "\($0)건 중 \(done)건 완료" } ?? "\(done)건 완료"
        },
        lookAgain: "이 페이지는 2초마다 새로 고칩니다. 떠나도 작업은 계속됩니다.",
        lookNow: "지금 새로 고침",
        stop: "중지",
        complete: "완료되었습니다.",
        stopped: "중지되었습니다. 끝난 일은 그대로입니다. 나머지는 다시 실행하세요.",
        roleEnded: "중지되었습니다. 세션이 끝났거나 역할이 더는 허용하지 않습니다. 끝난 일은 그대로입니다.",
        failed: "나머지는 실행되지 않았습니다. 이유:",
        failures: { "계정 \($0)개가 변경되지 않았습니다:" },
        unknownWork: .init(
            title: "이 작업을 찾을 수 없습니다",
            body: "오래전에 끝났거나 그사이 프로세스가 다시 시작되었습니다. 무엇이 실행되었는지는 감사 로그에 있습니다. 다시 실행해도 안전합니다. 끝난 일은 두 번 실행되지 않습니다."
        ),
        busy: .init(
            title: "진행 중인 작업이 너무 많습니다",
            body: "긴 작업을 더 시작할 수 없습니다. 일부가 끝난 뒤 다시 시도하세요."
        ),
        importUsers: "사용자 가져오기",
        importBody: "먼저 파일을 검사하며 아무것도 바뀌지 않습니다. 다음 페이지에 가져오기의 결과가 표시됩니다.",
        file: "사용자 파일",
        fileHint:
            "firebase auth:export가 쓴 파일(JSON 또는 CSV)이나 latchkey users export의 JSON Lines입니다. 이름은 .json, .csv, .jsonl로 끝납니다. 최대 1MB. 더 크거나 봉인된 파일은 latchkey users import를 쓰세요.",
        fileMissing: "비어 있지 않은 파일을 선택하세요.",
        hashParameters: "해시 매개변수",
        hashParametersHint: "파일에 Firebase의 비밀번호 해시가 있으면 Firebase 콘솔에 보이는 대로 입력하세요. 없으면 비워 두세요.",
        hashParametersMalformed: "이 해시 매개변수를 읽을 수 없습니다.",
        hashParametersMissing: "파일에 알고리즘이 없는 비밀번호 해시가 있습니다. 해시 매개변수를 입력하세요.",
        keepExisting: "기존 계정 유지",
        check: "파일 검사",
        existingAreKept: "기존 계정은 그대로 둡니다.",
        existingAreReplaced: "기존 계정은 교체되고 사용자는 로그아웃됩니다. 되돌릴 수 없습니다.",
        unreadableFrom: { "\($0)번째 레코드부터 파일을 읽을 수 없습니다. 그 앞은 끝났습니다." },
        exportUsers: "사용자 내보내기",
        exportBody: "파일은 한 줄에 한 사용자를 JSON으로 담으며 비밀번호는 없습니다. 클레임은 관리자에게만 포함됩니다.",
        exportProfiles: "사용자 다운로드",
        exportHashesBody:
            "비밀번호 해시와 그 키가 있으면 다른 설치에서 비밀번호를 확인할 수 있습니다. 파일을 가진 사람은 비밀번호를 시험해 볼 수 있습니다. 다운로드는 감사 로그에 남습니다.",
        exportHashes: "비밀번호 해시와 함께 다운로드",
        exportCutOff: "파일이 끝까지 오지 않으면 브라우저가 다운로드 실패를 알립니다. 그때는 다시 시작하세요.",
        codesBlocked: { "잘못된 코드가 너무 많아 \($1)까지 \($0)의 코드가 거부됩니다." },
        codesBlockedForGood: { "잘못된 코드가 너무 많아 \($0)의 코드가 계속 거부됩니다. 요소를 삭제하면 사용자가 다시 추가할 수 있습니다." },
        codesUnknown: "잘못된 코드가 로그인을 막는지 알 수 없습니다. 서비스가 응답하지 않습니다.")
}
