import Contracts
import Vocabulary

extension EmailLanguage {
    static let korean = EmailLanguage(
        language: .korean,
        greeting: "%DISPLAY_NAME%님, 안녕하세요.",
        genericGreeting: "안녕하세요.",
        linkHint: "버튼이 작동하지 않으면 다음 주소를 복사하여 브라우저에 붙여 넣으세요.",
        farewell: "%APP_NAME% 팀 드림",
        support: "문의: %SUPPORT_CONTACT%",
        genericFactorName: "2단계 인증 수단",
        hiddenPasskeyName: "표시되지 않음",
        unknownClient: "알 수 없음",
        methods: .init(
            password: "비밀번호", emailLink: "이메일 링크", phoneNumber: "전화번호", passkey: "패스키", none: "없음",
            separator: ", ")
    ) { purpose in
        switch purpose {
        case .verifyEmail:
            EmailText(
                subject: "%APP_NAME% 이메일 주소 인증",
                lead: "이메일 주소 %EMAIL%을(를) 인증하려면 다음 링크를 여세요.",
                button: "이메일 주소 인증",
                closing: "주소 인증을 요청하지 않았다면 이 이메일을 무시하셔도 됩니다.")
        case .resetPassword:
            EmailText(
                subject: "%APP_NAME% 비밀번호 재설정",
                lead: "%EMAIL% 계정의 %APP_NAME% 비밀번호를 재설정하려면 다음 링크를 여세요.",
                button: "비밀번호 재설정",
                closing: "비밀번호 재설정을 요청하지 않았다면 이 이메일을 무시하셔도 됩니다.")
        case .emailSignIn:
            EmailText(
                subject: "%APP_NAME% 로그인",
                lead: "%EMAIL% 주소로 %APP_NAME%에 로그인하려는 요청을 받았습니다. 로그인하려면 다음 링크를 여세요.",
                button: "로그인",
                closing: "링크가 있으면 누구나 회원님의 계정으로 로그인할 수 있으므로 이 이메일을 전달하지 마세요. 요청하지 않았다면 "
                    + "무시하셔도 됩니다.")
        case .emailSignInCode:
            EmailText(
                subject: "%APP_NAME% 로그인 코드",
                lead:
                    "%EMAIL% 주소로 %APP_NAME%에 로그인하려는 요청을 받았습니다. 코드를 요청한 화면에 다음 코드를 입력하세요. 코드는 10분 동안 유효합니다.",
                closing:
                    "코드가 있으면 누구나 회원님의 계정으로 로그인할 수 있으므로 %APP_NAME% 팀을 포함하여 누구에게도 알려 주지 마세요. 본인이 요청하지 않았다면 이 이메일을 무시하셔도 됩니다."
            )
        case .emailVerificationCode:
            EmailText(
                subject: "%APP_NAME% 인증 코드",
                lead:
                    "이메일 주소 %EMAIL%을(를) 인증하려면 코드를 요청한 화면에 다음 코드를 입력하세요. 코드는 10분 동안 유효합니다.",
                closing:
                    "코드를 누구에게도 알려 주지 마세요. 회원님의 주소가 다른 사람의 계정에 추가될 수 있습니다. 본인이 요청하지 않았다면 이 이메일을 무시하셔도 됩니다.")
        case .verifyAndChangeEmail:
            EmailText(
                subject: "%APP_NAME% 새 이메일 주소 인증",
                lead:
                    "앞으로 %NEW_EMAIL%(으)로 로그인하려면 다음 링크를 여세요. 변경을 요청한 계정의 현재 주소는 %ACCOUNT%이며 로그인 방법은 다음과 같습니다: %SIGN_IN_METHODS%.",
                button: "새 주소 인증",
                closing:
                    "본인의 계정이 아니라면 링크를 열고 ‘본인이 아닙니다’를 선택하세요.")
        case .emailChanged:
            EmailText(
                subject: "%APP_NAME% 로그인 이메일이 변경되었습니다",
                lead: "로그인에 사용하는 이메일 주소가 %NEW_EMAIL%(으)로 변경되었습니다.",
                securityAdvice: "직접 변경하지 않았다면 다음 링크를 열어 변경을 취소하세요.",
                button: "변경 취소",
                closing: "직접 변경하지 않았다면 즉시 %APP_NAME% 팀에 문의하세요.")
        case .emailRemoved:
            EmailText(
                subject: "%APP_NAME% 로그인 이메일이 삭제되었습니다",
                lead: "%EMAIL% 주소가 계정에서 삭제되었습니다. 이 주소로는 더 이상 로그인할 수 없습니다.",
                securityAdvice: "직접 삭제하지 않았다면 다음 링크를 열어 변경을 취소하세요.",
                button: "변경 취소",
                closing: "직접 삭제하지 않았다면 즉시 %APP_NAME% 팀에 문의하세요.")
        case .secondFactorAdded:
            EmailText(
                subject: "%APP_NAME% 계정에 2단계 인증이 추가되었습니다",
                lead: "이제 %EMAIL% 계정에 로그인할 때 다음 2단계 인증이 필요합니다: %SECOND_FACTOR%",
                securityAdvice: "직접 추가하지 않았다면 다음 링크를 열어 삭제하세요.",
                button: "2단계 인증 삭제",
                closing: "직접 추가하지 않았다면 즉시 비밀번호를 재설정하세요.")
        case .secondFactorRemoved:
            EmailText(
                subject: "%APP_NAME% 계정에서 2단계 인증이 삭제되었습니다",
                lead: "이제 %EMAIL% 계정에 로그인할 때 다음 2단계 인증이 필요하지 않습니다: %SECOND_FACTOR%",
                securityAdvice: "직접 삭제하지 않았다면 다음 링크를 열어 계정을 보호하세요.",
                button: "계정 보호",
                closing: "직접 삭제하지 않았다면 즉시 비밀번호를 재설정하세요.")
        case .passwordChanged:
            EmailText(
                subject: "%APP_NAME% 비밀번호가 변경되었습니다",
                lead: "%EMAIL% 계정의 비밀번호가 변경되었습니다.",
                securityAdvice: "직접 변경하지 않았다면 다음 링크를 열어 새 비밀번호를 설정하세요.",
                button: "비밀번호 재설정",
                closing: "직접 변경하지 않았다면 즉시 비밀번호를 재설정하세요.")
        case .recoveryCodeUsed:
            EmailText(
                subject: "%APP_NAME% 계정에서 복구 코드가 사용되었습니다",
                lead: "%EMAIL% 계정에 로그인할 때 2단계 인증 대신 복구 코드가 사용되었습니다. 이 코드는 더 이상 사용할 수 없습니다.",
                securityAdvice: "직접 로그인하지 않았다면 다음 링크를 열어 계정을 보호하세요.",
                button: "계정 보호",
                closing: "직접 로그인하지 않았다면 즉시 비밀번호를 재설정하세요.")
        case .passkeyAdded:
            EmailText(
                subject: "%APP_NAME% 계정에 패스키가 추가되었습니다",
                lead:
                    "%EMAIL% 계정에 패스키가 추가되었습니다. 이 패스키로 비밀번호 없이 로그인할 수 있습니다. 패스키 이름: %PASSKEY%",
                securityAdvice: "직접 추가하지 않았다면 다음 링크를 열어 삭제하세요.",
                button: "패스키 삭제",
                closing: "직접 추가하지 않았다면 즉시 %APP_NAME% 팀에 문의하세요.")
        case .passkeyRemoved:
            EmailText(
                subject: "%APP_NAME% 계정에서 패스키가 삭제되었습니다",
                lead:
                    "%EMAIL% 계정에서 패스키가 삭제되었습니다. 이 패스키로는 더 이상 로그인할 수 없습니다. 패스키 이름: %PASSKEY%",
                securityAdvice: "직접 삭제하지 않았다면 다음 링크를 열어 계정을 보호하세요.",
                button: "계정 보호",
                closing: "직접 삭제하지 않았다면 즉시 %APP_NAME% 팀에 문의하세요.")
        case .providerLinked:
            EmailText(
                subject: "%APP_NAME% 계정에 ID 공급자가 추가되었습니다",
                lead:
                    "%EMAIL% 계정에 ID 공급자가 연결되었습니다. 해당 공급자의 계정으로 로그인할 수 있습니다. 공급자: %PROVIDER%",
                securityAdvice: "직접 추가하지 않았다면 다음 링크를 열어 계정을 보호하세요.",
                button: "계정 보호",
                closing: "직접 추가하지 않았다면 즉시 %APP_NAME% 팀에 문의하세요.")
        case .providerRefused:
            EmailText(
                subject: "%APP_NAME% 계정 로그인이 거부되었습니다",
                lead:
                    "누군가 ID 공급자에서 회원님의 주소 %EMAIL%(으)로 로그인했지만 계정에 연결된 사람이 아니었습니다. 계정 접근은 거부되었습니다. 공급자: %PROVIDER%",
                securityAdvice: "본인이라면 다음 링크를 열고 다른 방법으로 로그인한 뒤 공급자를 다시 연결하세요.",
                button: "애플리케이션 열기",
                closing:
                    "본인이라면(예: 공급자의 새 계정) 다른 방법으로 로그인한 뒤 공급자를 다시 연결하세요. 본인이 아니라면 이제 다른 사람이 회원님의 주소를 사용할 수 있습니다.")
        case .newSignIn:
            EmailText(
                subject: "%APP_NAME% 계정에 새로운 로그인이 있습니다",
                lead:
                    "새 기기와 새 네트워크에서 %EMAIL% 계정에 로그인했습니다. 시간: %TIME%. 기기: %DEVICE%. 네트워크: %NETWORK%. 본인이 로그인했다면 아무 조치도 필요하지 않습니다.",
                securityAdvice:
                    "본인이 로그인하지 않았다면 다음 링크를 열어 새 비밀번호를 설정하세요. 그러면 계정의 모든 세션이 종료됩니다.",
                button: "비밀번호 재설정",
                closing:
                    "본인이 로그인하지 않았다면 계정에서 해당 세션을 종료하고 즉시 %APP_NAME% 팀에 문의하세요.")
        case .deletionScheduled:
            EmailText(
                subject: "%APP_NAME% 계정이 삭제될 예정입니다",
                lead:
                    "계정 페이지에서 %EMAIL% 계정을 삭제했으며, 계정의 모든 세션이 종료되었습니다. 계정은 다음 시간에 완전히 삭제됩니다: %TIME%. 그때까지는 로그인하여 계정을 복원할 수 있습니다.",
                securityAdvice:
                    "계정을 유지하려는 경우 또는 본인이 삭제하지 않았다면 다음 링크를 열어 로그인하세요.",
                button: "계정 복원",
                closing: "본인이 삭제하지 않았다면 즉시 %APP_NAME% 팀에 문의하세요.")
        }
    }
}
