extension PageTexts {
    static let korean = PageTexts(
        resetPassword: .init(
            title: "새 비밀번호 설정", body: "다음 주소의 계정:", button: "비밀번호 저장",
            done: .init(
                title: "비밀번호가 변경되었습니다", body: "이제 새 비밀번호로 로그인할 수 있습니다. 다른 모든 기기에서는 로그아웃되었습니다.")),
        newPassword: "새 비밀번호", passwordRequirements: "비밀번호 조건:",
        atLeast: { "\($0)자 이상" }, atMost: { "\($0)자 이하" },
        lowercase: "영문 소문자", uppercase: "영문 대문자", numeric: "숫자", nonAlphanumeric: "특수문자",
        guessablePassword: "추측하기 쉬운 비밀번호입니다. 다른 비밀번호를 입력하세요.",
        verifyEmail: .init(
            title: "이메일 주소 확인", body: "본인의 주소가 맞는지 확인하세요:", button: "확인",
            done: .init(title: "이메일 주소가 확인되었습니다", body: "애플리케이션으로 돌아가셔도 됩니다.")),
        accountMethods: .init(
            list: "현재 이 계정에는 다음 방법으로 로그인할 수 있습니다:", none: "아직 아무도 이 계정에 로그인할 수 없습니다.",
            password: "비밀번호", emailLink: "이메일 링크", phoneNumber: "전화번호"),
        notMe: .init(
            body: "이 계정을 직접 만들지 않았다면 이 로그인 방법을 제거하세요. 이 방법을 쓰는 모든 사람이 로그아웃됩니다.",
            button: "본인이 아닙니다",
            done: .init(
                title: "로그인 방법이 제거되었습니다",
                body: "모두 로그아웃되었으며 주소는 확인되지 않았습니다. 이 계정을 직접 사용하려면 비밀번호를 설정하세요.")),
        changeEmail: .init(
            title: "이메일 주소 변경", body: "앞으로 다음 주소로 로그인합니다:", button: "주소 변경",
            done: .init(title: "이메일 주소가 변경되었습니다", body: "새 주소로 다시 로그인하세요.")),
        changedAccount: "변경을 요청한 계정의 현재 주소:",
        notMyChange: .init(
            body: "본인의 계정이 아니라면, 변경하면 다른 사람의 계정에 회원님의 주소가 지정됩니다.",
            button: "본인이 아닙니다",
            done: .init(
                title: "주소가 변경되지 않았습니다",
                body: "회원님의 주소는 그 계정에 지정되지 않았습니다. 더 하실 일은 없습니다.")),
        recoverEmail: .init(
            title: "이메일 주소 복구", body: "계정의 주소가 다음 주소로 되돌아갑니다:", button: "변경 취소",
            done: .init(
                title: "이메일 주소가 복구되었습니다",
                body: "직접 변경하지 않았다면 다른 사람이 비밀번호를 알고 있을 수 있습니다. 지금 비밀번호를 변경하세요.")),
        changePassword: .init(
            title: "비밀번호 변경", body: "다음 주소로 링크를 보내 드립니다:", button: "새 비밀번호 링크 받기",
            done: .init(title: "메일함을 확인하세요", body: "새 비밀번호를 위한 링크를 보냈습니다.")),
        removeSecondFactor: .init(
            title: "2단계 인증 제거", body: "로그인에서 다음 2단계 인증이 제거됩니다:", button: "제거",
            done: .init(
                title: "2단계 인증이 제거되었습니다",
                body: "직접 추가하지 않았다면 다른 사람이 비밀번호를 알고 있을 수 있습니다. 지금 비밀번호를 변경하세요.")),
        removePasskey: .init(
            title: "패스키 제거", body: "계정에서 다음 패스키가 제거됩니다:", button: "제거",
            done: .init(
                title: "패스키가 제거되었습니다",
                body: "직접 추가하지 않았다면 다른 사람이 비밀번호를 알고 있을 수 있습니다. 지금 비밀번호를 변경하세요.")),
        accountPasskeys: .init(
            list: "다음 패스키로 계정에 로그인할 수 있습니다:", unnamed: "패스키",
            added: { "추가한 날짜: \($0)" }, lastUsed: { "마지막으로 사용한 날짜: \($0)" },
            stay:
                "새 비밀번호를 설정해도 이 패스키는 그대로 남습니다. 모르는 패스키가 있으면 애플리케이션에서 제거하세요.",
            removal: .init(
                body:
                    "다른 사람이 주소를 변경했다면 패스키도 추가했을 수 있습니다. 본인의 패스키는 나중에 다시 추가할 수 있습니다.",
                button: "본인이 아닙니다. 이 패스키도 제거",
                done: .init(
                    title: "이메일 주소가 복구되고 패스키가 제거되었습니다",
                    body: "다른 사람이 비밀번호도 알고 있을 수 있습니다. 지금 비밀번호를 변경하세요."))),
        recentProviders: .init(
            list:
                "지난 7일 동안 다음 외부 계정이 연결되었으며, 이 계정으로 로그인할 수 있습니다:",
            linked: { "연결한 날짜: \($0)" },
            stay:
                "새 비밀번호를 설정해도 이 연결은 그대로 남습니다. 모르는 연결이 있으면 애플리케이션에서 제거하세요."),
        authenticatorApp: "인증 앱",
        signIn: .init(title: "로그인", body: "한 번만 더 누르면 로그인됩니다."),
        signInHasNoTarget: "로그인하려는 기기에서 이 링크를 여세요.", continueLabel: "계속",
        appVerification: .init(
            title: "잠시만 기다려 주세요",
            body: "프로그램이 메시지를 요청하지 못하도록 확인하고 있습니다. 몇 초 뒤에 앱으로 자동으로 돌아갑니다.",
            prompt: "사람임을 확인하면 앱으로 돌아갑니다.",
            done: "완료되었습니다. 앱으로 돌아갑니다.", goBack: "앱으로 돌아가기",
            failed: "확인하지 못했습니다.", tryAgain: "다시 시도",
            noScript: "이 페이지에는 자바스크립트가 필요합니다. 브라우저에서 켜고 앱에서 페이지를 다시 여세요.",
            unknownApp: .init(
                title: "여기에 등록되지 않은 앱입니다",
                body: "앱으로 돌아가 다시 시도하세요. 그래도 안 되면 앱 운영자에게 알려 주세요.")),
        providerSignIn: .init(
            returning: .init(title: "잠시만 기다려 주세요", body: "앱으로 돌아갑니다."),
            canceled: .init(
                title: "로그인하지 않았습니다", body: "제공업체에서 로그인을 취소했습니다. 앱에서 다시 시도할 수 있습니다."),
            refused: .init(
                title: "제공업체에서 로그인하지 못했습니다",
                body: "제공업체가 오류를 알렸거나 응답이 올바르지 않습니다. 앱으로 돌아가서 다시 시도해 주세요."),
            unreachable: .init(
                title: "제공업체에 연결할 수 없습니다", body: "몇 분 뒤에 다시 시도하거나 다른 방법으로 로그인해 주세요."),
            notOffered: .init(title: "이 로그인 방법은 사용할 수 없습니다", body: "앱으로 돌아가서 다른 방법을 선택해 주세요."),
            expired: .init(
                title: "이 로그인은 끝났습니다",
                body: "10분이 넘게 걸렸거나 다른 브라우저에서 시작되었습니다. 앱에서 다시 시작해 주세요."),
            unknownApp: .init(
                title: "이 앱은 여기에 설정되어 있지 않습니다", body: "앱 운영자가 앱의 주소를 등록해야 합니다."),
            noWindow: "앱의 창이 닫혔습니다. 이 창도 닫고 앱에서 다시 시작해 주세요."),
        passkeyPage: .init(
            title: "패스키",
            identifier: "이메일 주소 또는 전화번호",
            signIn: "패스키로 로그인",
            password: "비밀번호",
            signInWithPassword: "비밀번호로 로그인",
            signUpBody: "아직 계정이 없으신가요? 주소도 비밀번호도 필요하지 않습니다.",
            signUp: "패스키만으로 계정 만들기",
            signedInAs: "로그인한 계정:",
            list: "내 패스키",
            noPasskeys: "이 계정에는 패스키가 없습니다.",
            name: "패스키 이름",
            rename: "이름 바꾸기",
            remove: "삭제",
            add: "패스키 추가",
            signOut: "로그아웃",
            noScript: "이 페이지에는 JavaScript가 필요합니다. 브라우저에서 켜고 페이지를 다시 불러오세요.",
            removalQuestion:
                "이 패스키를 삭제할까요? 더 이상 이 패스키로는 로그인할 수 없고 계정의 다른 방법으로만 로그인할 수 있습니다.",
            cancel: "취소",
            messages: .init(
                added: "패스키를 추가했습니다.",
                renamed: "패스키 이름을 바꾸었습니다.",
                removed: "패스키를 삭제했습니다. 더 이상 로그인에 쓸 수 없습니다.",
                canceled: "요청이 취소되었습니다. 다시 시도하세요.",
                exists: "비밀번호 관리자에 이 계정의 패스키가 이미 있습니다.",
                unknown: "이 패스키가 등록된 계정이 없습니다. 다른 패스키를 선택하세요.",
                timedOut: "시간이 너무 오래 걸렸습니다. 다시 시도하세요.",
                secondFactor: "이 계정에는 2단계 인증이 필요합니다. 앱에서 로그인하세요.",
                invalidCredentials: "이메일 주소 또는 비밀번호가 올바르지 않습니다.",
                lastMethod: "이 계정에 로그인할 수 있는 유일한 방법입니다. 먼저 다른 방법을 추가하세요.",
                failed: "작업하지 못했습니다.",
                unsupported: "이 브라우저는 패스키를 지원하지 않습니다.")),
        hostedSignIn: .init(
            title: "로그인",
            signUpTitle: "계정 만들기",
            toContinue: { "\($0)(으)로 계속" },
            email: "이메일 주소",
            newHere: "처음이신가요?",
            createAccount: "계정 만들기",
            haveAccount: "이미 계정이 있으신가요?",
            enterPassword: "비밀번호를 입력해 주세요",
            showPassword: "비밀번호 표시",
            forgotten: "비밀번호를 잊으셨나요?",
            emailLink: "이메일로 링크 받기",
            emailCode: "이메일로 코드 받기",
            otherAccount: "다른 계정 사용",
            or: "또는",
            continueWith: { "\($0)(으)로 계속" },
            invalidEmail: "name@example.com과 같은 주소를 입력해 주세요.",
            missingPassword: "비밀번호를 입력해 주세요.",
            name: "이름(선택)",
            emailHasAccount: "이 주소로 된 계정이 이미 있습니다. 로그인해 주세요.",
            otherMethod: "이 주소로 된 계정이 이미 있습니다. 전에 쓰던 방법으로 로그인해 주세요.",
            resetSent: "이 주소로 된 계정이 있으면 새 비밀번호를 위한 링크가 전송됩니다.",
            linkSent: "로그인 링크를 보냈습니다. 이 브라우저에서 열어 주세요.",
            linkEmail: "링크를 받은 주소입니다.",
            chooseFactor: "본인임을 확인해 주세요",
            appCode: "인증 앱의 코드를 입력해 주세요",
            smsCode: "문자 메시지의 코드를 입력해 주세요",
            smsSentTo: { "\($0)(으)로 보냈습니다." },
            enterEmailCode: "이메일의 코드를 입력해 주세요",
            emailSentTo: { "\($0)(으)로 보냈습니다." },
            codeLabel: "여섯 자리 코드",
            confirm: "확인",
            wrongCode: "코드가 다릅니다. 다시 입력해 주세요.",
            codeExpired: "코드가 만료되었습니다. 새 코드를 보내 주세요.",
            sendAgain: "새 코드 보내기",
            useApp: "인증 앱 사용",
            useSMS: { "\($0)(으)로 문자 보내기" },
            useRecoveryCode: "복구 코드 사용",
            enterRecoveryCode: "복구 코드를 입력해 주세요",
            recoveryCode: "복구 코드",
            recoveryCodeHint: "각 코드는 한 번만 쓸 수 있습니다.",
            verifyFirst: .init(
                title: "먼저 주소를 확인해 주세요",
                body:
                    "이 계정은 로그인할 때 두 번째 단계가 필요합니다. 주소가 확인되면 바로 설정할 수 있습니다."
            ),
            sendEmail: "이메일 보내기",
            verificationSent: "이메일을 보냈습니다. 이메일의 링크를 연 다음 여기에서 계속해 주세요.",
            secondStepNeeded: "이 계정은 로그인할 때 두 번째 단계가 필요합니다.",
            openApp: "이 기기의 앱 열기",
            offerPasskey: .init(
                title: "다음에는 비밀번호 없이 로그인하세요",
                body:
                    "패스키가 있으면 지문, 얼굴 또는 화면 잠금만으로 로그인할 수 있습니다."
            ),
            notNow: "나중에",
            startAgain: "처음부터 다시 시작",
            signedIn: "로그인되었습니다",
            continueAs: { "\($0)(으)로 계속" },
            signOutEverywhere: "모든 기기에서 로그아웃",
            signUpClosed: "여기에서는 새 계정을 만들 수 없습니다. 앱 운영자에게 문의해 주세요.",
            signedOut: .init(title: "로그아웃되었습니다", body: "이 페이지를 닫아도 됩니다."),
            foreignForm: .init(title: "이 페이지에서 온 요청이 아닙니다", body: "페이지가 너무 오래 열려 있었거나 쿠키가 꺼져 있습니다. 뒤로 돌아가 다시 시도해 주세요.")),
        foot: .init(help: "도움말", terms: "이용약관", privacy: "개인정보 보호"),
        incompleteLink: .init(title: "링크가 온전하지 않습니다", body: "주소의 일부가 빠져 있습니다. 메시지의 링크 전체를 브라우저에 복사해 주세요."),
        unknownApplication: .init(title: "다른 앱의 링크입니다", body: "이 키로 등록된 앱이 여기에 없습니다. 링크를 보낸 곳에 새 링크를 요청해 주세요."),
        invalidLink: .init(title: "사용할 수 없는 링크입니다", body: "이미 사용되었거나 더 새로운 링크가 전송되었습니다. 새 링크를 요청해 주세요."),
        expiredLink: .init(title: "만료된 링크입니다", body: "새 링크를 요청하세요."),
        accountDisabled: .init(title: "사용이 중지된 계정입니다", body: "애플리케이션 운영자에게 문의하세요."),
        emailAlreadyInUse: .init(title: "이미 사용 중인 주소입니다", body: "그사이 다른 계정이 이 이메일 주소를 사용하고 있습니다."),
        crossSiteForm: .init(title: "이 페이지에서 보낸 요청이 아닙니다", body: "이메일의 링크를 다시 열고 그 페이지의 버튼을 누르세요."),
        tooManyAttempts: .init(title: "시도 횟수가 너무 많습니다", body: "잠시 기다렸다가 다시 시도하세요."),
        unavailable: .init(title: "처리하지 못했습니다", body: "서버의 문제입니다. 잠시 후 다시 시도하세요."))
}
