import Contracts
import Vocabulary

extension EmailLanguage {
    static let japanese = EmailLanguage(
        language: .japanese,
        greeting: "%DISPLAY_NAME% 様",
        genericGreeting: "お客様",
        linkHint: "ボタンが機能しない場合は、次のアドレスをブラウザにコピーしてください。",
        farewell: "%APP_NAME% チーム",
        support: "お問い合わせ: %SUPPORT_CONTACT%",
        genericFactorName: "2 つ目の認証要素",
        hiddenPasskeyName: "表示されません",
        unknownClient: "不明",
        methods: .init(
            password: "パスワード", emailLink: "メールのリンク", phoneNumber: "電話番号", passkey: "パスキー", none: "なし",
            separator: "、")
    ) { purpose in
        switch purpose {
        case .verifyEmail:
            EmailText(
                subject: "%APP_NAME% のメールアドレスの確認",
                lead: "メールアドレス %EMAIL% を確認するには、次のリンクを開いてください。",
                button: "メールアドレスを確認",
                closing: "アドレスの確認に心当たりがない場合は、このメールを無視してください。")
        case .resetPassword:
            EmailText(
                subject: "%APP_NAME% のパスワードの再設定",
                lead: "アカウント %EMAIL% の %APP_NAME% のパスワードを再設定するには、次のリンクを開いてください。",
                button: "パスワードを再設定",
                closing: "パスワードの再設定に心当たりがない場合は、このメールを無視してください。")
        case .emailSignIn:
            EmailText(
                subject: "%APP_NAME% へのログイン",
                lead: "アドレス %EMAIL% で %APP_NAME% にログインするリクエストを受け付けました。ログインするには、次のリンクを開いてください。",
                button: "ログイン",
                closing: "リンクを知っている人は誰でもあなたとしてログインできます。このメールを転送しないでください。心当たりがない場合は、"
                    + "無視してください。")
        case .emailSignInCode:
            EmailText(
                subject: "%APP_NAME% のログインコード",
                lead:
                    "アドレス %EMAIL% で %APP_NAME% にログインするリクエストを受け付けました。コードをリクエストした画面に、次のコードを入力してください。コードの有効期間は 10 分です。",
                closing:
                    "コードを知っている人は誰でもあなたとしてログインできます。%APP_NAME% チームを含め、誰にも教えないでください。心当たりがない場合は、このメールを無視してください。")
        case .emailVerificationCode:
            EmailText(
                subject: "%APP_NAME% の確認コード",
                lead:
                    "メールアドレス %EMAIL% を確認するには、コードをリクエストした画面に次のコードを入力してください。コードの有効期間は 10 分です。",
                closing:
                    "コードを誰にも教えないでください。あなたのアドレスが他の人のアカウントに追加されてしまいます。心当たりがない場合は、このメールを無視してください。")
        case .verifyAndChangeEmail:
            EmailText(
                subject: "%APP_NAME% の新しいメールアドレスの確認",
                lead:
                    "今後 %NEW_EMAIL% でログインするには、次のリンクを開いてください。この変更を申し込んだアカウントの現在のアドレスは %ACCOUNT%、ログイン方法は次のとおりです：%SIGN_IN_METHODS%",
                button: "新しいアドレスを確認",
                closing:
                    "ご自身のアカウントでない場合は、リンクを開いて「自分ではありません」を選んでください。")
        case .emailChanged:
            EmailText(
                subject: "%APP_NAME% のログイン用メールアドレスが変更されました",
                lead: "ログインに使用するメールアドレスが %NEW_EMAIL% に変更されました。",
                securityAdvice: "心当たりがない場合は、次のリンクを開いて変更を取り消してください。",
                button: "変更を取り消す",
                closing: "心当たりがない場合は、すぐに %APP_NAME% チームにご連絡ください。")
        case .emailRemoved:
            EmailText(
                subject: "%APP_NAME% のログイン用メールアドレスが削除されました",
                lead: "メールアドレス %EMAIL% がアカウントから削除されました。このアドレスではログインできなくなりました。",
                securityAdvice: "心当たりがない場合は、次のリンクを開いて変更を取り消してください。",
                button: "変更を取り消す",
                closing: "心当たりがない場合は、すぐに %APP_NAME% チームにご連絡ください。")
        case .secondFactorAdded:
            EmailText(
                subject: "%APP_NAME% アカウントに 2 段階認証が追加されました",
                lead: "アカウント %EMAIL% へのログインに、2 つ目の認証要素が必要になりました：%SECOND_FACTOR%",
                securityAdvice: "心当たりがない場合は、次のリンクを開いて削除してください。",
                button: "認証要素を削除",
                closing: "心当たりがない場合は、すぐにパスワードを再設定してください。")
        case .secondFactorRemoved:
            EmailText(
                subject: "%APP_NAME% アカウントから 2 段階認証が削除されました",
                lead: "アカウント %EMAIL% へのログインに、次の認証要素は不要になりました：%SECOND_FACTOR%",
                securityAdvice: "心当たりがない場合は、次のリンクを開いてアカウントを保護してください。",
                button: "アカウントを保護",
                closing: "心当たりがない場合は、すぐにパスワードを再設定してください。")
        case .passwordChanged:
            EmailText(
                subject: "%APP_NAME% のパスワードが変更されました",
                lead: "アカウント %EMAIL% のパスワードが変更されました。",
                securityAdvice: "心当たりがない場合は、次のリンクを開いて新しいパスワードを設定してください。",
                button: "パスワードを再設定",
                closing: "心当たりがない場合は、すぐにパスワードを再設定してください。")
        case .recoveryCodeUsed:
            EmailText(
                subject: "%APP_NAME% アカウントで復旧コードが使用されました",
                lead: "アカウント %EMAIL% へのログインに、2 つ目の認証要素の代わりに復旧コードが使用されました。このコードはもう使えません。",
                securityAdvice: "心当たりがない場合は、次のリンクを開いてアカウントを保護してください。",
                button: "アカウントを保護",
                closing: "心当たりがない場合は、すぐにパスワードを再設定してください。")
        case .passkeyAdded:
            EmailText(
                subject: "%APP_NAME% アカウントにパスキーが追加されました",
                lead:
                    "アカウント %EMAIL% にパスキーが追加されました。このパスキーを使うと、パスワードなしでログインできます。パスキーの名前：%PASSKEY%",
                securityAdvice: "心当たりがない場合は、次のリンクを開いて削除してください。",
                button: "パスキーを削除",
                closing: "心当たりがない場合は、すぐに %APP_NAME% チームにご連絡ください。")
        case .passkeyRemoved:
            EmailText(
                subject: "%APP_NAME% アカウントからパスキーが削除されました",
                lead:
                    "アカウント %EMAIL% からパスキーが削除されました。このパスキーではログインできなくなりました。パスキーの名前：%PASSKEY%",
                securityAdvice: "心当たりがない場合は、次のリンクを開いてアカウントを保護してください。",
                button: "アカウントを保護",
                closing: "心当たりがない場合は、すぐに %APP_NAME% チームにご連絡ください。")
        case .providerLinked:
            EmailText(
                subject: "%APP_NAME% アカウントに ID プロバイダが追加されました",
                lead:
                    "アカウント %EMAIL% に ID プロバイダが連携されました。そのプロバイダのアカウントでログインできます。プロバイダ：%PROVIDER%",
                securityAdvice: "心当たりがない場合は、次のリンクを開いてアカウントを保護してください。",
                button: "アカウントを保護",
                closing: "心当たりがない場合は、すぐに %APP_NAME% チームにご連絡ください。")
        case .providerRefused:
            EmailText(
                subject: "%APP_NAME% アカウントへのログインが拒否されました",
                lead:
                    "ID プロバイダであなたのアドレス %EMAIL% を使ったログインがありましたが、アカウントに連携されている人ではありませんでした。アカウントへのアクセスは拒否されました。プロバイダ：%PROVIDER%",
                securityAdvice: "ご自身による場合は、次のリンクを開き、別の方法でログインしてプロバイダを連携し直してください。",
                button: "アプリを開く",
                closing:
                    "ご自身による場合（プロバイダの新しいアカウントなど）は、別の方法でログインしてプロバイダを連携し直してください。心当たりがない場合は、アドレスがほかの人のものになっている可能性があります。")
        case .newSignIn:
            EmailText(
                subject: "%APP_NAME% アカウントへの新しいログイン",
                lead:
                    "アカウント %EMAIL% に、新しいデバイスで新しいネットワークからログインがありました。日時：%TIME%。デバイス：%DEVICE%。ネットワーク：%NETWORK%。ご本人の場合は、何もする必要はありません。",
                securityAdvice:
                    "心当たりがない場合は、次のリンクを開いて新しいパスワードを設定してください。アカウントのすべてのセッションが終了します。",
                button: "パスワードを再設定",
                closing:
                    "心当たりがない場合は、アカウントでそのセッションを終了し、すぐに %APP_NAME% チームにご連絡ください。")
        case .deletionScheduled:
            EmailText(
                subject: "%APP_NAME% アカウントが削除されます",
                lead:
                    "アカウント %EMAIL% の削除がアカウントページで行われ、すべてのセッションが終了しました。次の日時に完全に削除されます：%TIME%。それまでは、ログインすると元に戻せます。",
                securityAdvice:
                    "アカウントを残したい場合や、心当たりがない場合は、次のリンクを開いてログインしてください。",
                button: "アカウントを元に戻す",
                closing: "心当たりがない場合は、すぐに %APP_NAME% チームにご連絡ください。")
        }
    }
}
