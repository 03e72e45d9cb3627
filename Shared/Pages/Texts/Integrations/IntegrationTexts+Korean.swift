extension PageTexts.Integrations {
    static let korean = PageTexts.Integrations(
        title: "연동",
        body: "다른 프로그램이 사용하는 것: 웹훅, 애플리케이션, 백엔드 키, 푸시 키.",
        shownOnce: "지금 복사하세요. 다시 표시되지 않습니다.",
        back: "연동으로 돌아가기",
        webhooks: "웹훅",
        webhooksBody: "서명된 요청이 계정에 일어나는 일을 서버에 알립니다.",
        addWebhook: "웹훅 추가",
        webhookURL: "서버의 URL",
        eventTypes: "이벤트 유형",
        eventTypesHint: "한 줄에 하나씩, 예: account.created. 비워 두면 모두.",
        everyEvent: "모든 이벤트",
        working: "작동 중",
        failing: "올바르게 응답하지 않음",
        gone: "더 이상 없다고 응답함",
        state: "상태",
        waiting: "대기 중인 이벤트",
        dropped: "너무 많아서 삭제된 이벤트",
        deliveries: "최근 이벤트",
        noDeliveries: "아직 이벤트가 없습니다. 서버가 응답하는지 테스트를 보내 확인하세요.",
        pending: "대기 중",
        delivered: "전달됨",
        failed: "실패",
        attempts: "시도 횟수",
        problem: "문제",
        sendTest: "테스트 보내기",
        replay: "다시 보내기",
        turnOff: "끄기",
        turnOn: "켜기",
        rotateSecret: .init(
            title: "새 비밀",
            body:
                "서버가 이벤트를 받으려면 새 비밀이 필요합니다. 이전 비밀도 하루 동안 함께 서명합니다."
        ),
        removeWebhook: .init(
            title: "이 웹훅 삭제",
            body:
                "대기 중인 이벤트가 삭제되고 서버는 더 이상 받지 않습니다. 되돌릴 수 없습니다."
        ),
        applications: "애플리케이션",
        applicationsBody: "로그인 페이지에서 사용자를 받습니다.",
        addApplication: "애플리케이션 추가",
        applicationName: "사용자에게 표시되는 이름",
        kind: "실행되는 곳",
        webKind: "웹 페이지",
        toolKind: "명령줄 또는 데스크톱",
        redirects: "사용자가 돌아갈 수 있는 주소",
        redirectsHint: "한 줄에 하나씩.",
        clientID: "클라이언트 ID",
        removeApplication: .init(
            title: "이 애플리케이션 삭제",
            body:
                "이제 아무도 로그인시킬 수 없습니다. 되돌릴 수 없습니다."
        ),
        clientConfiguration: "애플리케이션용 API 키와 코드",
        clientConfigurationBody: "비밀이 아닙니다. 애플리케이션의 모든 사본에 들어 있습니다.",
        apiKey: "API 키",
        show: "보기",
        serviceAccounts: "서비스 계정",
        serviceAccountsBody: "이 키로 백엔드가 이 프로젝트를 관리합니다.",
        addServiceAccount: "키 만들기",
        serviceAccountName: "계정 이름",
        serviceAccountNameHint: "소문자, 숫자, 하이픈. 기존 계정에는 키가 추가됩니다.",
        keyFile: "키 파일",
        removeServiceAccount: .init(
            title: "이 키 취소",
            body:
                "가진 사람은 더 이상 아무것도 할 수 없고 액세스 토큰도 즉시 끝납니다. 되돌릴 수 없습니다."
        ),
        pushKeys: "Apple 기기 푸시용 키",
        pushKeysBody: "키가 없는 애플리케이션은 설치의 키를 사용합니다.",
        addPushKey: "푸시 키 추가",
        bundleID: "번들 ID",
        keyID: "키 ID",
        teamID: "팀 ID",
        environment: "환경",
        everyEnvironment: "샌드박스와 프로덕션",
        privateKey: "개인 키",
        privateKeyHint: "Apple의 AuthKey_….p8 파일 내용. 봉인되며 다시 표시되지 않습니다.",
        removePushKey: .init(
            title: "이 키 삭제",
            body:
                "더 이상 푸시를 보내지 않습니다. 애플리케이션은 다른 키나 확인 페이지를 사용합니다. 되돌릴 수 없습니다."
        ),
        functions: "차단 함수",
        functionsBody: "가입이나 로그인이 이루어지기 전에 결정합니다.",
        beforeCreate: "새 계정 전 함수",
        beforeSignIn: "로그인 전 함수",
        functionHint: "https URL이며 응답 시간은 7초입니다. 비워 두면 없음.",
        sendIDToken: "ID 공급자의 ID 토큰 보내기",
        sendAccessToken: "ID 공급자의 액세스 토큰 보내기",
        sendRefreshToken: "ID 공급자의 갱신 토큰 보내기",
        none: "아직 없습니다.")
}
